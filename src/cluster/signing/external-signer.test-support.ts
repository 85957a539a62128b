import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../platform/grpc/serve-grpc-socket.ts";
import { signerMethods } from "./signer-methods.ts";

/** A program that signs tokens with keys that a test makes. */
export interface TestSigner {
  /** Makes a key, which signs from then on. */
  rotate(id: string): void;
  /** Which keys verify old tokens only. */
  readonly unpublished: Set<string>;
  /** Replaces members of the header. */
  header: object;
  refreshSeconds: number;
  maxSeconds: number;
  readonly calls: { sign: number; fetch: number };
  close(): Promise<void>;
}

/** Serves such a program at a socket. */
export async function serveTestSigner(path: string): Promise<TestSigner> {
  const keys = new Map<string, { readonly privateKey: KeyObject; readonly publicKey: KeyObject }>();
  let current = "";
  const calls = { sign: 0, fetch: 0 };
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const served = await serveGrpcSocket(path, [
    unaryHandler(signerMethods.sign, async ({ claims }) => {
      calls.sign++;
      const header = encode({ alg: "ES256", kid: current, typ: "JWT", ...signer.header });
      const key = keys.get(current)?.privateKey as KeyObject;
      const signature = sign("sha256", Buffer.from(`${header}.${claims}`), {
        ...{ key, dsaEncoding: "ieee-p1363" },
      });
      return { header, signature: signature.toString("base64url") };
    }),
    unaryHandler(signerMethods.fetchKeys, async () => {
      calls.fetch++;
      return {
        keys: [...keys].map(([key_id, { publicKey }]) => ({
          key_id,
          key: publicKey.export({ type: "spki", format: "der" }),
          exclude_from_oidc_discovery: signer.unpublished.has(key_id),
        })),
        data_timestamp: { seconds: 1, nanos: 0 },
        refresh_hint_seconds: signer.refreshSeconds,
      };
    }),
    unaryHandler(signerMethods.metadata, async () => ({
      max_token_expiration_seconds: signer.maxSeconds,
    })),
  ]);
  const signer: TestSigner = {
    ...{ unpublished: new Set(), header: {}, refreshSeconds: 60, maxSeconds: 7200, calls },
    rotate(id) {
      keys.set(id, generateKeyPairSync("ec", { namedCurve: "P-256" }));
      current = id;
    },
    close: () => served.close(),
  };
  signer.rotate("k1");
  return signer;
}
