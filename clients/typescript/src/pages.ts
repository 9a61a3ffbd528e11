import { UnexpectedAnswer } from "./errors.js";
import { objectOf } from "./reading.js";

/** One page of a list. `total` counts the entries of all pages. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly perPage: number;
  readonly currentPage: number;
  readonly lastPage: number;
}

/** Which page of a list. */
export interface PageOptions {
  /** From 1. Default: 1. */
  readonly page?: number;
  /** 1 to 100. Default: 15. */
  readonly perPage?: number;
}

/** The size of a page, at most. */
export const LARGEST_PAGE = 100;

interface ListAnswer {
  readonly data: readonly unknown[];
  readonly meta: {
    readonly pagination: { total: number; per_page: number; current_page: number; last_page: number };
  };
}

/** Reads a page of a list. */
export async function pageOf<Item>(
  answer: unknown, read: (entry: unknown) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const { data, meta } = objectOf(answer) as unknown as ListAnswer;
  const pagination = objectOf(objectOf(meta).pagination) as unknown as ListAnswer["meta"]["pagination"];
  if (!Array.isArray(data)) throw new UnexpectedAnswer("The answer lacks the array data.");
  return {
    items: await Promise.all(data.map(read)),
    total: pagination.total,
    perPage: pagination.per_page,
    currentPage: pagination.current_page,
    lastPage: pagination.last_page,
  };
}

/** Gives the items of all pages, one page after the other. */
export async function* every<Item>(
  read: (options: Required<PageOptions>) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  for (let page = 1; ; page += 1) {
    const { items, lastPage } = await read({ page, perPage: LARGEST_PAGE });
    yield* items;
    if (page >= lastPage) return;
  }
}
