import { verifyAnswerBy } from "./answer.js";
import type { Api } from "./api.js";
import type { ChainAnswer } from "./chain-types.js";
import { InputError } from "./errors.js";
import type { KeySource } from "./keys.js";

/** Options of one page of a chain query. */
export interface QueryOptions {
  /** The page, from 1. Default: 1. */
  readonly page?: number;
  /** Chains a page, 1 to 100. Default: 15. */
  readonly rows?: number;
  /** Asks for a reason for each value. */
  readonly explain?: boolean;
}

/** Options of a chain query over all its pages. */
export type AllPagesOptions = Omit<QueryOptions, "page">;

const VALUE_LIMIT = 100;

/** Queries chains and verifies each answer before it returns it. */
export class ChainQuery {
  readonly #api: Api;
  readonly #keys: () => KeySource;

  constructor(api: Api, keys: () => KeySource) {
    this.#api = api;
    this.#keys = keys;
  }

  /** Queries one page. */
  async page(
    inputType: "uprn" | "address", values: readonly (number | string)[], options: QueryOptions,
  ): Promise<ChainAnswer> {
    const texts = textsOf(inputType, values);
    checkFigure("page", options.page, Number.MAX_SAFE_INTEGER);
    checkFigure("rows", options.rows, 100);
    const form = new URLSearchParams({ inputType });
    for (const text of texts) form.append("value[]", text);
    const answer = await this.#api.send({
      method: "POST",
      address: "baseUrl",
      path: `/api/v1/${this.#api.settings.pathSegment ?? "standard"}/chains`,
      access: "transaction-status",
      query: { page: options.page, rows: options.rows, explain: options.explain === true ? true : undefined },
      form,
      // The query changes nothing, although its method is POST.
      repeatable: true,
    });
    return verifyAnswerBy(answer.body, this.#keys());
  }

  /** Queries all pages, one after the other. */
  async *pages(
    inputType: "uprn" | "address", values: readonly (number | string)[], options: AllPagesOptions,
  ): AsyncGenerator<ChainAnswer, void, undefined> {
    for (let page = 1; ; page += 1) {
      const answer = await this.page(inputType, values, { ...options, page });
      yield answer;
      if (page >= answer.pagination.lastPage || page >= VALUE_LIMIT) return;
    }
  }
}

function textsOf(inputType: string, values: readonly (number | string)[]): string[] {
  if (!Array.isArray(values)) throw new InputError("The values of a query must be an array.");
  const texts = values.map(String);
  checkTexts(inputType, texts);
  return texts;
}

function checkTexts(inputType: string, values: readonly string[]): void {
  if (values.length === 0 || values.length > VALUE_LIMIT) {
    throw new InputError(`A query takes 1 to ${VALUE_LIMIT} values, not ${values.length}.`);
  }
  for (const [index, value] of values.entries()) {
    const length = value.trim().length;
    if (length === 0 || length > 200) throw new InputError(`Value ${index} must have 1 to 200 characters.`);
    if (inputType === "uprn" && !/^\d{1,12}$/.test(value.trim())) {
      throw new InputError(`Value ${index} is no UPRN of 1 to 12 digits: ${JSON.stringify(value)}`);
    }
  }
}

function checkFigure(name: string, figure: number | undefined, most: number): void {
  if (figure !== undefined && !(Number.isInteger(figure) && figure >= 1 && figure <= most)) {
    throw new InputError(`${name} must be a whole number from 1 to ${most}, not ${figure}.`);
  }
}
