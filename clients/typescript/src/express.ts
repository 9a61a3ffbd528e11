import type { IncomingMessage, ServerResponse } from "node:http";
import { EVENT_LIMIT_BYTES, EventRefused } from "./event-verifier.js";
import type { Receiver, Reply } from "./receiver.js";

const BODY_TIMEOUT_MILLISECONDS = 10_000;

type Request = IncomingMessage & { body?: unknown };

/**
 * Makes a request handler for Express 4, Express 5, node:http and node:https.
 *
 * ```js
 * app.post("/onward", onwardEvents(receiver));
 * ```
 *
 * It reads the body itself. A body parser before it may give `req.body` as a Buffer, and nothing else.
 */
export function onwardEvents(receiver: Receiver): (req: Request, res: ServerResponse) => void {
  return (req, res) => {
    void answerOf(receiver, req).then((answer) => {
      // Another handler, for instance for timeouts, can have answered meanwhile.
      if (res.headersSent) return;
      // Octets of a refused body may still be on their way.
      if (answer.status !== 202) res.setHeader("connection", "close");
      res.writeHead(answer.status, { "content-type": "text/plain; charset=utf-8" }).end(answer.reason);
    });
  };
}

async function answerOf(receiver: Receiver, req: Request): Promise<Reply> {
  try {
    if (req.method !== "POST") throw new EventRefused(405, "The method must be POST.");
    return await receiver.receive(await readBody(req), req.headers);
  } catch (error) {
    return receiver.refuse(error instanceof EventRefused
      ? error
      : new EventRefused(400, "The body broke off.", { cause: error }));
  }
}

async function readBody(req: Request): Promise<Uint8Array> {
  if (req.body instanceof Uint8Array) return req.body;
  if (req.readableEnded) {
    throw new EventRefused(503, "A body parser has read the body. Place onwardEvents before it.");
  }
  const blocks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => req.destroy(), BODY_TIMEOUT_MILLISECONDS);
  try {
    // Destroying the stream would close the connection before the answer.
    for await (const block of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += block.length;
      if (length > EVENT_LIMIT_BYTES) {
        throw new EventRefused(413, `The body is larger than ${EVENT_LIMIT_BYTES} bytes.`, { reason: "too_large" });
      }
      blocks.push(block);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(blocks);
}
