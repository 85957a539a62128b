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

/** A call as the server of the suite sees it. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** What the server of the suite answers: JSON if nothing else is said. */
export interface GivenAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** All of it, or what is said over time. */
  readonly body?: string | ((out: AnswerStream) => void);
}

export interface AnswerStream {
  /** Whether more is welcome. */
  write(chunk: string | Uint8Array): boolean;
  end(): void;
  /** Ends the connection in the middle. */
  breakOff(): void;
  onDrain(listener: () => void): void;
  /** Tells that the client is gone, or that all was sent. */
  onClose(listener: () => void): void;
}

export interface SuiteServer {
  readonly transport: Transport;
  /** Ends the server alone. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface TransportSuiteOptions {
  /** A server that answers as it is told, and a transport to it. */
  serve(answer: (call: SeenCall) => GivenAnswer): Promise<SuiteServer>;
  /** Whether connections lie between the two, that can break. */
  readonly isNetwork: boolean;
}

/** What every transport promises, as tests. */
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
    "a call arrives as it was made, and its answer comes back",
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
        accept: "application/json",
        "content-type": "application/json",
      });
    },
  );

  suiteTest(
    "headers that are given win, and a header may come several times",
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
    "a refusal is an answer",
    () => ({ status: 404, body: '{"kind":"Status","reason":"NotFound"}' }),
    async (transport) => {
      const response = await transport(get);
      expect(response.status).toBe(404);
      expect(await response.value()).toEqual({ kind: "Status", reason: "NotFound" });
    },
  );

  suiteTest(
    "what is not JSON is text, and nothing is undefined",
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
    "integers beyond 2^53 are kept, numbers in texts are left alone",
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
    "several warnings stay several",
    () => ({ body: "{}", headers: { warning: ['299 - "one"', '299 - "two, \\"three\\""'] } }),
    async (transport) => {
      expect(warningTexts(await transport(get))).toEqual(["one", 'two, "three"']);
    },
  );

  suiteTest(
    "a big answer comes whole",
    () => ({ body: JSON.stringify({ items: Array.from({ length: 40_000 }, itemOf) }) }),
    async (transport) => {
      const list = (await (await transport(get)).value()) as { items: unknown[] };
      expect(list.items.length).toBe(40_000);
      expect(list.items[39_999]).toEqual(itemOf(undefined, 39_999));
    },
  );

  suiteTest(
    "many calls at a time get each their own answer",
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
    "values come as they are sent, whatever the chunks they are sent in",
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
    "a value is there before the next one is sent, and who stops asking ends the call",
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
    "bytes come as they are",
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
    "what has been aborted before is not sent",
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
    "a signal ends a stream with its reason, and tells the server",
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
    "a signal after the end changes nothing",
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
    "a server is not read faster than its answer is asked for",
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
    "a call is made again when the server asks for it",
    () => (--refusals < 0 ? { body: "{}" } : { status: 429, headers: { "retry-after": "0" } }),
    async (transport) => {
      refusals = 2;
      const response = await retrying(transport, hurried)({ ...get, method: "POST", body: {} });
      expect([response.status, refusals]).toEqual([200, -1]);
      await response.value();
    },
  );

  suiteTest(
    "a last value needs no end of its line",
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
    "half a value at a proper end is an error",
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
    "a connection that breaks in the middle of a value is an error, after the values before",
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
    "half an answer is an error",
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
    "a signal ends a call that is not answered",
    () => ({
      body(out) {
        // Headers go with the first bytes, of which there are none.
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
    "a server that is gone is told in Go's words",
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

/** Time that passes as soon as somebody waits for it. */
const hurried: Clock = {
  now: () => 0,
  setTimer(_, fire) {
    const handle = setImmediate(fire);
    return { cancel: () => clearImmediate(handle) };
  },
};

// What the two sides of a test share; each test sets it before it is looked at.
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
