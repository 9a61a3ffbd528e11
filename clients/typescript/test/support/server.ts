import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One answer of the test server. `undefined` as status cuts the connection. */
export interface Canned {
  readonly status: number | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A request that the test server received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An HTTPS server on loopback with faults that a real service does not show on demand. */
export interface TestServer {
  readonly url: string;
  readonly ca: string;
  readonly received: Received[];
  close(): void;
}

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), "onward-client-"));
}

/** Starts a server. The answerer may return a promise that never settles. */
export async function startServer(
  answerer: (request: Received) => Canned | Promise<Canned>,
): Promise<TestServer> {
  const { certificate, key } = makeCertificate();
  const received: Received[] = [];
  const server = createServer({ cert: certificate, key }, (req, res) => {
    void answer(req, res, received, answerer);
  });
  await new Promise<void>((fulfil) => { server.listen(0, "127.0.0.1", fulfil); });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    ca: certificate,
    received,
    close: () => { server.close(); server.closeAllConnections(); },
  };
}

async function answer(
  req: IncomingMessage, res: ServerResponse, received: Received[],
  answerer: (request: Received) => Canned | Promise<Canned>,
): Promise<void> {
  let body = "";
  for await (const block of req.setEncoding("utf8")) body += block as string;
  const request = { method: req.method ?? "", url: req.url ?? "", headers: req.headers, body };
  received.push(request);
  const canned = await answerer(request);
  if (canned.status === undefined) req.socket.destroy();
  else res.writeHead(canned.status, canned.headers).end(canned.body ?? "");
}

function makeCertificate(): { certificate: string; key: string } {
  const folder = makeFolder();
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
    "-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-days", "2",
    "-addext", "subjectAltName=DNS:localhost"], { stdio: "ignore" });
  const made = { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
  rmSync(folder, { recursive: true });
  return made;
}
