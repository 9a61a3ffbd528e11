import { request as requestPlainly, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Duplex } from "node:stream";
import { connect, createSecureContext, type ConnectionOptions } from "node:tls";
import { ConnectionFailed, UsageError } from "./errors.js";
import { VERSION } from "./version.js";

/** The size of an answer, at most, in octets. */
export const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024;

/** One HTTP request. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One complete HTTP answer, with any status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How a `Connections` object connects. Certificates and keys are PEM. `proxy` is an http:// address. */
export interface ConnectionSettings {
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly proxy?: string | undefined;
  readonly timeoutSeconds: number;
  readonly answerLimitBytes: number;
}

/** Sends requests over kept HTTPS connections, without redirects. */
export class Connections {
  readonly #agent: Agent;
  readonly #settings: ConnectionSettings;
  #isClosed = false;

  constructor(settings: ConnectionSettings) {
    const { ca, certificate, key, proxy } = settings;
    this.#settings = settings;
    checkPem(settings);
    const options = {
      keepAlive: true,
      // NODE_TLS_REJECT_UNAUTHORIZED must not turn the check of the server's certificate off.
      rejectUnauthorized: true,
      minVersion: "TLSv1.2" as const,
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate, key }),
    };
    this.#agent = proxy === undefined ? new Agent(options) : new ProxyAgent(options, new URL(proxy));
  }

  /**
   * Sends a request and reads the whole answer.
   *
   * @throws ConnectionFailed when no complete answer comes within the time and the size limit.
   * @throws UsageError after `close`.
   */
  async send(sent: HttpRequest): Promise<HttpAnswer> {
    if (this.#isClosed) throw new UsageError("This client is closed. Open a new one for further calls.");
    const signal = AbortSignal.timeout(this.#settings.timeoutSeconds * 1000);
    try {
      const response = await this.#open(sent, signal);
      const body = await readLimited(response, this.#settings.answerLimitBytes);
      return { status: response.statusCode ?? 0, headers: response.headers, body };
    } catch (error) {
      if (error instanceof ConnectionFailed) throw error;
      const place = `${sent.method} ${sent.url}`;
      const reason = signal.aborted
        ? `no complete answer within ${this.#settings.timeoutSeconds} s`
        : describe(error);
      const advice = isUntrusted(error)
        ? ". `ca` must have the authority of the server's certificate, and the certificate the host's name."
        : "";
      throw new ConnectionFailed(`${place} failed: ${reason}${advice}`, { cause: error });
    }
  }

  /** Closes the kept connections. */
  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  #open(sent: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { "user-agent": `onward-client-node/${VERSION}`, ...sent.headers };
    return new Promise((fulfil, reject) => {
      const outgoing = request(sent.url, { method: sent.method, headers, agent: this.#agent, signal });
      outgoing.on("error", reject).on("response", fulfil);
      outgoing.end(sent.body);
    });
  }
}

/** Connects through the tunnel of a proxy (RFC 9110, section 9.3.6). TLS ends at the server. */
class ProxyAgent extends Agent {
  readonly #proxy: URL;

  constructor(options: ConstructorParameters<typeof Agent>[0], proxy: URL) {
    super(options);
    this.#proxy = proxy;
  }

  // An agent passes what `tls.connect` needs, with the name of the server.
  override createConnection(
    options: ConnectionOptions, callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { hostname, port, username, password } = this.#proxy;
    const done = callback as (error: Error | null, stream?: Duplex) => void;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const target = `${options.host}:${options.port}`;
    const tunnel = requestPlainly({
      host: hostname, port: port === "" ? 80 : Number(port), method: "CONNECT", path: target, agent: false,
      headers: {
        host: target,
        ...(username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` }),
      },
    });
    tunnel.on("error", done).on("connect", (response, socket) => {
      if (response.statusCode === 200) {
        done(null, connect({ ...options, socket, servername: options.servername ?? options.host ?? "" }));
      } else {
        socket.destroy();
        done(new Error(`the proxy answered ${response.statusCode} to CONNECT ${target}`));
      }
    });
    tunnel.end();
    return undefined;
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
    throw new UsageError("TLS cannot use ca, certificate or key. They must be PEM, and key must fit certificate.",
      { cause: error });
  }
}

async function readLimited(response: IncomingMessage, limit: number): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let length = 0;
  for await (const block of response as AsyncIterable<Buffer>) {
    length += block.length;
    if (length > limit) {
      throw new ConnectionFailed(`The answer is larger than ${limit} bytes. Ask for fewer rows a page.`);
    }
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

/** Says whether the server's certificate is the cause of an error (the codes of OpenSSL and of Node). */
export function isUntrusted(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string"
    && /^(CERT_|UNABLE_TO_(GET|VERIFY)_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/.test(code);
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join("; ");
  return error instanceof Error ? error.message : String(error);
}
