import { expect, test } from "vitest";
import type { Clock } from "../../base/clock.ts";
import { retrying } from "../retrying.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../transport.ts";
import { warningTexts } from "../warnings.ts";

/** A request as the suite's server receives it. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A response of the suite's server; JSON by default. */
export interface GivenAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The whole body, or a function that writes it. */
  readonly body?: string | ((out: AnswerStream) => void);
}

export interface AnswerStream {
  /** Returns false if the writer should pause. */
  write(chunk: string | Uint8Array): boolean;
  end(): void;
  /** Closes the connection in the middle of the body. */
  breakOff(): void;
  onDrain(listener: () => void): void;
  /** Calls a listener when the client has disconnected or everything was sent. */
  onClose(listener: () => void): void;
}

export interface SuiteServer {
  readonly transport: Transport;
  /** Stops the server only. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface TransportSuiteOptions {
  /** Starts a server with these responses, and returns a transport to it. */
  serve(answer: (call: SeenCall) => GivenAnswer): Promise<SuiteServer>;
  /** Whether the transport uses connections, which can break. */
  readonly isNetwork: boolean;
}

/** The contract of transports, as tests. */
export function transportSuite(name: string, { serve, isNetwork }: TransportSuiteOptions): void {
  const suiteTest = (
    title: string,
    answer: (call: SeenCall) => GivenAnswer,
    run: (transport: Transport, server: SuiteServer) => Promise<void>,
  ): void =>
    test(`${name}: ${title}`, async () => {
      const server = await serve(answer);
      try {
        await run(server.transport, server);
      } finally {
        await server.close();
      }
    });

  const seen: SeenCall[] = [];
  suiteTest(
    "a request arrives unchanged, and so does its response",
    (call) => {
      seen.push(call);
      return { status: 201, body: '{"a":1}', headers: { "x-one": "1" } };
    },
    async (transport) => {
      seen.length = 0;
      const response = await transport({
        ...get,
        method: "POST",
        path: "/api/v1/a%20b",
        query: "x=%C3%A4&y",
        body: { name: "é" },
      });
      expect([response.status, response.headers["x-one"]]).toEqual([201, "1"]);
      expect(await response.value()).toEqual({ a: 1 });
      expect(seen).toMatchObject([
        { method: "POST", path: "/api/v1/a%20b", query: "x=%C3%A4&y", body: '{"name":"é"}' },
      ]);
      expect(seen[0]?.headers).toMatchObject({
        accept: "application/json, */*",
        "content-type": "application/json",
      });
    },
  );

  suiteTest(
    "given headers replace defaults, and a header may be repeated",
    ({ headers }) => {
      const groups = headers["impersonate-group"];
      const text = [
        headers.accept,
        ...(typeof groups === "string" ? groups.split(", ") : (groups ?? [])),
      ];
      return { body: JSON.stringify(text) };
    },
    async (transport) => {
      const headers = { accept: "text/plain", "impersonate-group": ["a", "b"] };
      const response = await transport({ ...get, headers });
      expect(await response.value()).toEqual(["text/plain", "a", "b"]);
    },
  );

  suiteTest(
    "a rejected request resolves with its response",
    () => ({ status: 404, body: '{"kind":"Status","reason":"NotFound"}' }),
    async (transport) => {
      const response = await transport(get);
      expect(response.status).toBe(404);
      expect(await response.value()).toEqual({ kind: "Status", reason: "NotFound" });
    },
  );

  suiteTest(
    "a body that is not JSON is text, and an empty one is undefined",
    ({ path }) =>
      path === "/empty"
        ? { status: 200, body: "" }
        : { headers: { "content-type": "text/plain" }, body: "{not json ä" },
    async (transport) => {
      expect(await (await transport(get)).value()).toBe("{not json ä");
      expect(await (await transport({ ...get, path: "/empty" })).value()).toBeUndefined();
    },
  );

  suiteTest(
    "integers beyond 2^53 stay exact, digits in strings are left alone",
    () => ({ body: '{"big":9223372036854775807,"text":":1234567890123456789,","n":-3}' }),
    async (transport) => {
      expect(await (await transport(get)).value()).toEqual({
        big: 9223372036854775807n,
        text: ":1234567890123456789,",
        n: -3,
      });
    },
  );

  suiteTest(
    "repeated Warning headers stay separate",
    () => ({ body: "{}", headers: { warning: ['299 - "one"', '299 - "two, \\"three\\""'] } }),
    async (transport) => {
      expect(warningTexts(await transport(get))).toEqual(["one", 'two, "three"']);
    },
  );

  suiteTest(
    "a large response arrives completely",
    () => ({ body: JSON.stringify({ items: Array.from({ length: 40_000 }, itemOf) }) }),
    async (transport) => {
      const list = (await (await transport(get)).value()) as { items: unknown[] };
      expect(list.items.length).toBe(40_000);
      expect(list.items[39_999]).toEqual(itemOf(undefined, 39_999));
    },
  );

  suiteTest(
    "concurrent requests get their own responses",
    ({ path }) => ({ body: JSON.stringify({ path }) }),
    async (transport) => {
      const paths = Array.from({ length: 300 }, (_, n) => `/n/${n}`);
      const answers = await Promise.all(
        paths.map(async (path) => (await transport({ ...get, path })).value()),
      );
      expect(answers).toEqual(paths.map((path) => ({ path })));
    },
  );

  suiteTest(
    "values of a stream arrive as sent, whatever the chunks",
    () => ({
      body(out) {
        const bytes = new TextEncoder().encode('{"n":1}\n{"n":"ä€😀"}\n\n{"n":9007199254740993}\n');
        for (const byte of bytes) out.write(Uint8Array.of(byte));
        out.end();
      },
    }),
    async (transport) => {
      expect(await valuesOf(await transport(get))).toEqual([
        { n: 1 },
        { n: "ä€😀" },
        { n: 9007199254740993n },
      ]);
    },
  );

  suiteTest(
    "a value arrives before the next is sent, and leaving the loop aborts the request",
    () => ({
      body(out) {
        out.write('{"n":1}\n');
        out.onClose(() => gone.resolve());
      },
    }),
    async (transport) => {
      gone = promise();
      for await (const batch of (await transport(get)).values()) {
        expect(batch).toEqual([{ n: 1 }]);
        break;
      }
      await gone.done;
    },
  );

  suiteTest(
    "bytes arrive unchanged",
    () => ({
      headers: { "content-type": "text/plain" },
      body(out) {
        out.write(Uint8Array.of(0xff, 0, 1));
        out.write(Uint8Array.of(2));
        out.end();
      },
    }),
    async (transport) => {
      const bytes: number[] = [];
      for await (const chunk of (await transport(get)).bytes()) bytes.push(...chunk);
      expect(bytes).toEqual([0xff, 0, 1, 2]);
    },
  );

  suiteTest(
    "a request with an aborted signal is not sent",
    (call) => {
      seen.push(call);
      return { body: "{}" };
    },
    async (transport) => {
      seen.length = 0;
      const reason = new Error("enough");
      await expect(transport({ ...get, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(seen).toEqual([]);
    },
  );

  suiteTest(
    "a signal aborts a stream with its reason, and the server is disconnected",
    () => ({
      body(out) {
        out.write('{"n":1}\n');
        out.onClose(() => gone.resolve());
      },
    }),
    async (transport) => {
      gone = promise();
      const ending = new AbortController();
      const reason = new Error("enough");
      const response = await transport({ ...get, signal: ending.signal });
      const read = async (): Promise<void> => {
        for await (const batch of response.values()) {
          expect(batch).toEqual([{ n: 1 }]);
          ending.abort(reason);
        }
      };
      await expect(read()).rejects.toBe(reason);
      await gone.done;
    },
  );

  suiteTest(
    "a signal after the end has no effect",
    () => ({ body: "{}" }),
    async (transport) => {
      const ending = new AbortController();
      const response = await transport({ ...get, signal: ending.signal });
      expect(await response.value()).toEqual({});
      ending.abort(new Error("late"));
      expect(await (await transport(get)).value()).toEqual({});
    },
  );

  suiteTest(
    "a response is not read from the server faster than the caller consumes it",
    () => ({
      body(out) {
        const line = `${JSON.stringify({ text: "x".repeat(10_000) })}\n`;
        const more = (): void => {
          while (sent < 20_000) {
            sent++;
            if (!out.write(line)) return;
          }
          out.end();
        };
        out.onDrain(more);
        more();
      },
    }),
    async (transport) => {
      sent = 0;
      const response = await transport(get);
      let count = 0;
      for await (const batch of response.values()) {
        if (count === 0) {
          for (let turns = 0; turns < 1000; turns++) await new Promise((r) => setImmediate(r));
          expect(sent).toBeLessThan(10_000);
        }
        count += batch.length;
      }
      expect(count).toBe(20_000);
    },
  );

  suiteTest(
    "a request is retried after Retry-After",
    () => (--refusals < 0 ? { body: "{}" } : { status: 429, headers: { "retry-after": "0" } }),
    async (transport) => {
      refusals = 2;
      const response = await retrying(transport, hurried)({ ...get, method: "POST", body: {} });
      expect([response.status, refusals]).toEqual([200, -1]);
      await response.value();
    },
  );

  suiteTest(
    "the last value of a stream needs no newline",
    () => ({
      body(out) {
        out.write('{"n":1}\n{"n":2}');
        out.end();
      },
    }),
    async (transport) => {
      expect(await valuesOf(await transport(get))).toEqual([{ n: 1 }, { n: 2 }]);
    },
  );

  suiteTest(
    "an incomplete value at the end of a stream is an error",
    () => ({
      body(out) {
        out.write('{"n":1}\n{"n":');
        out.end();
      },
    }),
    async (transport) => {
      await expect(valuesOf(await transport(get))).rejects.toThrow(
        new TransportError("unexpected EOF"),
      );
    },
  );

  if (!isNetwork) return;

  suiteTest(
    "a connection that breaks inside a value is an error after the complete values",
    () => ({
      body(out) {
        out.write('{"n":1}\n{"n":');
        proceed = () => out.breakOff();
      },
    }),
    async (transport) => {
      const values: unknown[] = [];
      const read = async (): Promise<void> => {
        for await (const batch of (await transport(get)).values()) {
          values.push(...batch);
          proceed();
        }
      };
      await expect(read()).rejects.toBeInstanceOf(TransportError);
      expect(values).toEqual([{ n: 1 }]);
    },
  );

  suiteTest(
    "a connection that breaks between values is an error, too",
    () => ({
      body(out) {
        out.write('{"n":1}\n');
        proceed = () => out.breakOff();
      },
    }),
    async (transport) => {
      const read = async (): Promise<void> => {
        for await (const _ of (await transport(get)).values()) proceed();
      };
      await expect(read()).rejects.toBeInstanceOf(TransportError);
    },
  );

  suiteTest(
    "an incomplete response is an error",
    () => ({
      body(out) {
        out.write('{"n":');
        setImmediate(() => out.breakOff());
      },
    }),
    async (transport) => {
      const call = async (): Promise<unknown> => (await transport(get)).value();
      await expect(call()).rejects.toBeInstanceOf(TransportError);
    },
  );

  suiteTest(
    "a signal aborts a request without a response",
    () => ({
      body(out) {
        // Headers are sent with the first bytes, and here there are none.
        out.onClose(() => gone.resolve());
        proceed();
      },
    }),
    async (transport) => {
      gone = promise();
      const ending = new AbortController();
      const reason = new Error("enough");
      proceed = () => ending.abort(reason);
      await expect(transport({ ...get, signal: ending.signal })).rejects.toBe(reason);
      await gone.done;
    },
  );

  suiteTest(
    "an unreachable server is reported with the error texts of Go",
    () => ({ body: "{}" }),
    async (transport, server) => {
      await (await transport(get)).value();
      await server.stop();
      await expect(transport(get)).rejects.toThrow(
        /^dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
      );
    },
  );
}

const get: TransportRequest = { method: "GET", path: "/", query: "", headers: {} };

const itemOf = (_: unknown, n: number): unknown => ({ name: `item-${n}`, text: "ü".repeat(20) });

/** A clock that advances as soon as something waits for it. */
const hurried: Clock = {
  now: () => 0,
  setTimer(_, fire) {
    const handle = setImmediate(fire);
    return { cancel: () => clearImmediate(handle) };
  },
};

// Shared by both sides of a test; each test resets it first.
let gone = promise();
let proceed: () => void = () => {};
let sent = 0;
let refusals = 0;

function promise(): { readonly done: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const done = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { done, resolve: () => resolve() };
}

async function valuesOf(response: TransportResponse): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const batch of response.values()) values.push(...batch);
  return values;
}
