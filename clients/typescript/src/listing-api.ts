import { dataOf, keyed, parseAnswer, type Api, type Call, type WriteOptions } from "./api.js";
import { UnexpectedAnswer } from "./errors.js";
import type { Milestone } from "./listing-types.js";
import type { PageOptions } from "./pages.js";
import { objectOf } from "./reading.js";
import { readMilestone, type Resource } from "./resources.js";

const TYPES = "/api/v1/milestone_type";

/** Makes the calls of `listing_base_url`. */
export class ListingApi {
  readonly #api: Api;
  #keys: Promise<ReadonlyMap<number, string>> | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Reads `data`. */
  async read<Data>(path: string): Promise<Data> {
    const call = readCall(path, {});
    return dataOf<Data>(call, await this.#api.json(call));
  }

  /** Reads a whole answer, for example a page. */
  async readWhole<Answer>(path: string, query: Call["query"] = {}): Promise<Answer> {
    return await this.#api.json(readCall(path, query)) as Answer;
  }

  /** Reads `data`, or undefined after a 204. */
  async readOptional<Data>(path: string): Promise<Data | undefined> {
    const call = readCall(path, {});
    const answer = await this.#api.send(call);
    return answer.status === 204 ? undefined : dataOf<Data>(call, parseAnswer(call, answer));
  }

  /** Searches with a body. Nothing changes, so no Idempotency-Key is needed. */
  async search(path: string, json: unknown, options: PageOptions): Promise<unknown> {
    const call = { ...base("POST", path), json, query: pageQuery(options), repeatable: true };
    return await this.#api.json(call);
  }

  /** Writes with an Idempotency-Key. Returns the status and `data`. */
  async write<Data>(
    method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, json: unknown, options: WriteOptions,
  ): Promise<{ status: number; data: Data }> {
    const call: Call = { ...base(method, path), json, ...keyed(options) };
    const answer = await this.#api.send(call);
    return { status: answer.status, data: dataOf<Data>(call, parseAnswer(call, answer)) };
  }

  /** Reads a milestone. It asks for the keys of types when it meets a new type. */
  async milestone(resource: Resource): Promise<Milestone> {
    const type = objectOf(resource.attributes).milestone_type_id as number;
    const asked = this.#keys;
    let key = (await asked)?.get(type);
    if (key === undefined) {
      // Another milestone may have asked meanwhile.
      if (this.#keys === asked) this.#startReadingKeys();
      key = (await this.#keys)?.get(type);
    }
    if (key === undefined) throw new UnexpectedAnswer(`The service lists no milestone type ${type}.`);
    return readMilestone(resource, key);
  }

  #startReadingKeys(): void {
    const started = this.read<Resource[]>(TYPES).then((types) =>
      new Map(types.map(({ id, attributes }) => [Number(id), attributes.key as string])));
    this.#keys = started;
    started.catch(() => {
      if (this.#keys === started) this.#keys = undefined;
    });
  }
}

/** Returns the query of a page. */
export function pageQuery(options: PageOptions): { page: number | undefined; per_page: number | undefined } {
  return { page: options.page, per_page: options.perPage };
}

function base(method: Call["method"], path: string) {
  return { method, path, address: "listingBaseUrl", access: "listing" } as const;
}

function readCall(path: string, query: Call["query"]): Call {
  return { ...base("GET", path), query: query ?? {}, repeatable: true };
}
