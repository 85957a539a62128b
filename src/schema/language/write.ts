/**
 * The write that a kind prepares and validates an object for. Time, caller and features reach a kind
 * this way and no other.
 */
export interface Write {
  /** The time of the server in RFC 3339, to the second; the creationTimestamp of a new object. */
  readonly now: string;
  /** The authenticated caller. */
  readonly user: {
    readonly name: string;
    readonly uid?: string | undefined;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
  };
  /** The features that are on and are not by default; none if not given. */
  readonly features?: ReadonlySet<string> | undefined;
}
