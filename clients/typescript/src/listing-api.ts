import { dataOf, keyed, parseAnswer, type Api, type Call, type WriteOptions } from "./api.js";
import type { PageOptions } from "./listing-types.js";

/** Makes the calls of `listing_base_url`. */
export class ListingApi {
  readonly #api: Api;

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
  async search<Answer>(path: string, json: unknown, options: PageOptions): Promise<Answer> {
    const call = { ...base("POST", path), json, query: pageQuery(options), repeatable: true };
    return await this.#api.json(call) as Answer;
  }

  /** Writes with an Idempotency-Key. Returns the status and the parsed body. */
  async write(
    method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, json: unknown, options: WriteOptions,
  ): Promise<{ status: number; body: unknown; call: Call }> {
    const call: Call = { ...base(method, path), json, ...keyed(options) };
    const answer = await this.#api.send(call);
    return { status: answer.status, body: parseAnswer(call, answer), call };
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
