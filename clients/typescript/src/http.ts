import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { createSecureContext } from "node:tls";
import { ConnectionError, InputError } from "./errors.js";

/** One HTTP request. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One complete HTTP answer, with any status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How a `Connections` object connects. Certificates and keys are PEM. */
export interface ConnectionSettings {
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly timeoutMilliseconds: number;
  readonly answerLimitBytes: number;
}

/** Sends requests over kept HTTPS connections, without redirects or proxies. */
export class Connections {
  readonly #agent: Agent;
  readonly #settings: ConnectionSettings;

  constructor(settings: ConnectionSettings) {
    const { ca, certificate, key } = settings;
    this.#settings = settings;
    checkPem(settings);
    this.#agent = new Agent({
      keepAlive: true,
      // NODE_TLS_REJECT_UNAUTHORIZED must not turn the check of the server's certificate off.
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate, key }),
    });
  }

  /**
   * Sends a request and reads the whole answer.
   *
   * @throws ConnectionError when no complete answer comes within the time and the size limit.
   */
  async send(sent: HttpRequest): Promise<HttpAnswer> {
    const signal = AbortSignal.timeout(this.#settings.timeoutMilliseconds);
    try {
      const response = await this.#open(sent, signal);
      const body = await readLimited(response, this.#settings.answerLimitBytes);
      return { status: response.statusCode ?? 0, headers: response.headers, body };
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      const place = `${sent.method} ${sent.url}`;
      const reason = signal.aborted
        ? `no complete answer within ${this.#settings.timeoutMilliseconds} ms`
        : describe(error);
      throw new ConnectionError(`${place} failed: ${reason}`, { cause: error });
    }
  }

  /** Closes the kept connections. */
  close(): void {
    this.#agent.destroy();
  }

  #open(sent: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { "user-agent": "onward-client", ...sent.headers };
    return new Promise((fulfil, reject) => {
      const outgoing = request(sent.url, { method: sent.method, headers, agent: this.#agent, signal });
      outgoing.on("error", reject).on("response", fulfil);
      outgoing.end(sent.body);
    });
  }
}

// A wrong PEM would otherwise fail at each connection, and each failure would be repeated.
function checkPem({ ca, certificate, key }: ConnectionSettings): void {
  try {
    createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate, key }),
    });
  } catch (error) {
    throw new InputError("TLS cannot use ca, certificate or key. They must be PEM, and key must fit certificate.",
      { cause: error });
  }
}

async function readLimited(response: IncomingMessage, limit: number): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let length = 0;
  for await (const block of response as AsyncIterable<Buffer>) {
    length += block.length;
    if (length > limit) {
      throw new ConnectionError(`The answer is larger than ${limit} bytes. Ask for fewer rows a page.`);
    }
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join("; ");
  return error instanceof Error ? error.message : String(error);
}
