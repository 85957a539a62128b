/** The codes of CNI's errors; a plugin's own start at 100. */
const cniErrorCodes = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  unknownContainer: 3,
  invalidEnvironment: 4,
  ioFailure: 5,
  decodingFailure: 6,
  invalidConfig: 7,
  tryAgainLater: 11,
  notAvailable: 50,
  limitedConnectivity: 51,
  internal: 999,
} as const;

export type CniErrorCode = keyof typeof cniErrorCodes;

/** An error as plugins print it. */
export class CniError extends Error {
  override readonly name = "CniError";
  readonly code: number;
  /** The message without the details. */
  readonly msg: string;
  readonly details: string;

  constructor(code: CniErrorCode | number, msg: string, details = "") {
    super(details === "" ? msg : `${msg}; ${details}`);
    this.code = typeof code === "number" ? code : cniErrorCodes[code];
    this.msg = msg;
    this.details = details;
  }

  /** What a plugin prints. */
  toJson(cniVersion: string): object {
    const { code, msg, details } = this;
    return { cniVersion, code, msg, ...(details !== "" && { details }) };
  }

  /** Any error as one of CNI's. */
  static from(error: unknown): CniError {
    if (error instanceof CniError) return error;
    return new CniError("internal", error instanceof Error ? error.message : String(error));
  }
}
