import { open, readFile, rename, type FileHandle } from "node:fs/promises";
import { UsageError } from "./errors.js";
import { isObject } from "./json.js";
import { MemorySeenEvents, type SeenEvent, type SeenEvents } from "./seen.js";

type Line = SeenEvent & { readonly storedAt: number };

/** How a `FileSeenEvents` keeps events. */
export interface FileSeenSettings {
  /** How long an event is kept, in days. Default: 400. */
  readonly keepDays?: number;
  /** The number of events to keep, at most. Default: 1,000,000, which take about 500 MB of memory. */
  readonly limit?: number;
}

/**
 * Keeps events in a file of JSON lines, so that a receiver knows them after a restart.
 *
 * `add` returns when the event is on disk. Opening the file drops the events that are too old.
 * Only one process may have the file open.
 */
export class FileSeenEvents implements SeenEvents {
  readonly #memory: MemorySeenEvents;
  readonly #file: FileHandle;
  #lastWrite: Promise<void> = Promise.resolve();

  private constructor(memory: MemorySeenEvents, file: FileHandle) {
    this.#memory = memory;
    this.#file = file;
  }

  /**
   * Opens the file, or makes it.
   *
   * @throws UsageError when the file cannot be read or written.
   */
  static async open(path: string, settings: FileSeenSettings = {}): Promise<FileSeenEvents> {
    const { keepDays = 400, limit = 1_000_000 } = settings;
    try {
      const oldest = Date.now() - keepDays * 86_400_000;
      const all = await readLines(path);
      const lines = all.filter(({ storedAt }) => storedAt >= oldest).slice(-limit);
      if (lines.length < all.length) await rewrite(path, lines);
      const memory = new MemorySeenEvents(limit);
      for (const line of lines) memory.note(line);
      return new FileSeenEvents(memory, await open(path, "a", 0o600));
    } catch (error) {
      throw new UsageError(`The file ${path} of seen events cannot be opened.`, { cause: error });
    }
  }

  has(eventId: string): Promise<boolean> {
    return this.#memory.has(eventId);
  }

  newest(subject: string): Promise<string | undefined> {
    return this.#memory.newest(subject);
  }

  add(event: SeenEvent): Promise<void> {
    const written = this.#lastWrite.then(() => this.#write(event));
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  /** Closes the file after the last write. */
  async close(): Promise<void> {
    await this.#lastWrite;
    await this.#file.close();
  }

  async #write(event: SeenEvent): Promise<void> {
    // The line break comes first, because the line before may be incomplete.
    await this.#file.appendFile(`\n${JSON.stringify({ ...event, storedAt: Date.now() })}`);
    await this.#file.sync();
    this.#memory.note(event);
  }
}

async function readLines(path: string): Promise<Line[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isLine(value) ? [value] : [];
    } catch {
      // The line is empty, or the process stopped while it wrote the line.
      return [];
    }
  });
}

function isLine(value: unknown): value is Line {
  return isObject(value) && typeof value.eventId === "string" && typeof value.subject === "string"
    && typeof value.eventTimestamp === "string" && typeof value.storedAt === "number";
}

// A crash leaves either the old file or the new one.
async function rewrite(path: string, lines: readonly Line[]): Promise<void> {
  const temporary = await open(`${path}.new`, "w", 0o600);
  try {
    await temporary.writeFile(lines.map((line) => `\n${JSON.stringify(line)}`).join(""));
    await temporary.sync();
  } finally {
    await temporary.close();
  }
  await rename(`${path}.new`, path);
}
