import { setTimeout as wait } from "node:timers/promises";
import { verifyAnswerBy, verifyVersionBy } from "./answer.js";
import { dataOf, segment, type Api, type Call } from "./api.js";
import { listOf, unixSecondsOf } from "./arguments.js";
import type { Batch, ChainAnswer, ChainVersion, Pagination, VersionAnswer } from "./chain-types.js";
import {
  Conflict, ConnectionFailed, Invalid, KeysUnavailable, NotFound, RateLimited, Unavailable, UnexpectedAnswer, UsageError,
  VerificationError,
} from "./errors.js";
import type { KeySource } from "./keys.js";
import { every, type Page, type PageOptions } from "./pages.js";
import { moment, objectOf } from "./reading.js";

/** Options of one page of a chain query. */
export interface QueryOptions {
  /** The page, from 1. Default: 1. */
  readonly page?: number;
  /** Chains a page, 1 to 100. Default: the number of values, so that all are on one page. */
  readonly rows?: number;
  /** Asks for a reason for each value. */
  readonly explain?: boolean;
  /**
   * Asks for the state at this time, to the second (S-60).
   * The client then needs the scope `transaction-history` besides.
   */
  readonly asOf?: Date;
}

/** Options of a chain query over all its pages. */
export type AllPagesOptions = Omit<QueryOptions, "page">;

/** Options of a query of any number of values. */
export interface BatchOptions {
  /** How long a batch may wait after answers of 429, in seconds. Default: 300. */
  readonly longestWaitSeconds?: number;
  /** Asks for the state at this time, as `QueryOptions` does. */
  readonly asOf?: Date;
}

/** Options of a request for an evidence pack. */
export interface EvidenceOptions {
  /** How long to wait until the log shows the states of the answer, in seconds. Default: 40. */
  readonly longestWaitSeconds?: number;
}

type InputType = "uprn" | "address";
type Values = readonly (number | string)[];

const VALUE_LIMIT = 100;
const PAST = "transaction-status transaction-history";
// These concern one batch. Any other error would meet each further batch as well.
const BATCH_ERRORS = [
  ConnectionFailed, Invalid, KeysUnavailable, RateLimited, Unavailable, UnexpectedAnswer, VerificationError,
];

/** Queries chains and verifies each answer before it returns it. */
export class ChainQuery {
  readonly #api: Api;
  readonly #keys: () => KeySource;

  constructor(api: Api, keys: () => KeySource) {
    this.#api = api;
    this.#keys = keys;
  }

  /** Queries one page. */
  async page(inputType: InputType, values: Values, options: QueryOptions): Promise<ChainAnswer> {
    const texts = textsOf(values);
    if (texts.length === 0 || texts.length > VALUE_LIMIT) {
      throw new UsageError(`A query takes 1 to ${VALUE_LIMIT} values, not ${texts.length}. The batches take more.`);
    }
    const form = new URLSearchParams({ inputType });
    for (const text of texts) form.append("value[]", text);
    const asOf = options.asOf === undefined ? undefined : toSecond(options.asOf);
    if (asOf !== undefined) form.append("asOf", asOf.toISOString().replace(".000Z", "Z"));
    const answer = await this.#api.send({
      method: "POST",
      address: "baseUrl",
      path: this.#path(),
      access: asOf === undefined ? "transaction-status" : PAST,
      query: {
        page: options.page,
        // With the service's default of 15 rows, an answer would lack chains of further values.
        rows: options.rows ?? texts.length,
        explain: options.explain === true ? true : undefined,
      },
      form,
      // The query changes nothing, although its method is POST.
      repeatable: true,
    });
    const verified = await verifyAnswerBy(answer.body, this.#keys());
    // A service of an older version ignores the time, and answers with the present state.
    if (verified.asOf?.getTime() !== asOf?.getTime()) {
      throw new UnexpectedAnswer("The answer is not about the time that was asked for.");
    }
    return verified;
  }

  /** Lists the kept versions of a chain. */
  async versions(chainId: string, { page = 1, perPage = 15 }: PageOptions): Promise<Page<ChainVersion>> {
    const call = this.#read(`/${segment("chainId", chainId)}/versions`, { page, rows: perPage });
    const answer = await this.#api.json(call);
    const { total, perPage: size, currentPage, lastPage } =
      objectOf(objectOf(answer).pagination) as unknown as Pagination;
    return { items: dataOf<unknown[]>(call, answer).map(readVersion), total, perPage: size, currentPage, lastPage };
  }

  /** Reads all kept versions of a chain, page after page. */
  allVersions(chainId: string): AsyncGenerator<ChainVersion, void, undefined> {
    return every((options) => this.versions(chainId, options));
  }

  /** Reads one version of a chain, and verifies it. */
  async version(chainId: string, version: number): Promise<VersionAnswer> {
    const path = `/${segment("chainId", chainId)}/versions/${segment("version", version)}`;
    const answer = await this.#api.send(this.#read(path));
    return verifyVersionBy(answer.body, this.#keys());
  }

  /** Asks for the evidence pack of an answer, and waits until the log shows its states. */
  async evidence(answer: ChainAnswer | Uint8Array, { longestWaitSeconds = 40 }: EvidenceOptions): Promise<Uint8Array> {
    const body = answer instanceof Uint8Array ? answer : answer.body;
    const call: Call = {
      method: "POST", address: "baseUrl", path: "/api/v1/evidence",
      access: isPast(body) ? PAST : "transaction-status", jsonBytes: body, repeatable: true,
    };
    for (let remaining = longestWaitSeconds; ;) {
      try {
        return (await this.#api.send(call)).body;
      } catch (error) {
        const pause = error instanceof Conflict && error.type === "not-logged"
          ? Math.max(error.retryAfterSeconds ?? 1, 1)
          : Infinity;
        if (pause > remaining) throw error;
        remaining -= pause;
        await wait(pause * 1000);
      }
    }
  }

  #path(): string {
    return `/api/v1/${this.#api.settings.pathSegment ?? "standard"}/chains`;
  }

  #read(path: string, query: Call["query"] = {}): Call {
    return { method: "GET", address: "baseUrl", path: `${this.#path()}${path}`, access: PAST, query, repeatable: true };
  }

  /** Queries all pages, one after the other. */
  async *pages(
    inputType: InputType, values: Values, options: AllPagesOptions,
  ): AsyncGenerator<ChainAnswer, void, undefined> {
    for (let page = 1; ; page += 1) {
      const answer = await this.page(inputType, values, { ...options, page });
      yield answer;
      if (page >= answer.pagination.lastPage) return;
    }
  }

  /** Queries any number of values, 100 at a time. */
  async *batches(
    inputType: InputType, values: Values, options: BatchOptions,
  ): AsyncGenerator<Batch, void, undefined> {
    const texts = textsOf(values);
    for (let start = 0; start < texts.length; start += VALUE_LIMIT) {
      yield await this.#batch(inputType, texts.slice(start, start + VALUE_LIMIT), options);
    }
  }

  async #batch(
    inputType: InputType, values: string[], { longestWaitSeconds = 300, asOf }: BatchOptions,
  ): Promise<Batch> {
    const nothing = { values, chains: [], notFound: [], answer: undefined, error: undefined };
    for (let remaining = longestWaitSeconds; ;) {
      try {
        const answer = await this.page(inputType, values, { explain: true, ...(asOf === undefined ? {} : { asOf }) });
        const notFound = answer.explanation.filter(({ reason }) => reason !== "matched");
        return { ...nothing, chains: answer.chains, notFound, answer };
      } catch (error) {
        if (error instanceof NotFound) return { ...nothing, notFound: error.explanation };
        const pause = error instanceof RateLimited ? Math.max(error.retryAfterSeconds ?? 1, 1) : Infinity;
        if (pause <= remaining) {
          remaining -= pause;
          await wait(pause * 1000);
        } else if (BATCH_ERRORS.some((kind) => error instanceof kind)) {
          return { ...nothing, error: error as Error };
        } else {
          throw error;
        }
      }
    }
  }
}

function isPast(body: Uint8Array): boolean {
  try {
    const data = objectOf(objectOf(JSON.parse(Buffer.from(body).toString("utf8"))).data);
    return data.asOf !== undefined;
  } catch (error) {
    throw new UsageError("This is no answer of a chain query. Pass its bytes unaltered.", { cause: error });
  }
}

function toSecond(time: Date): Date {
  return new Date(unixSecondsOf("asOf", time) * 1000);
}

function readVersion(entry: unknown): ChainVersion {
  const { version, recordedAt } = objectOf(entry);
  return { version: Number(version), recordedAt: moment(recordedAt) };
}

function textsOf(values: Values): string[] {
  return listOf("values", values).map(String);
}
