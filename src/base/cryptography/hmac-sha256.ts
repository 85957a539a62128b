/** Signs a text with a secret: HMAC with SHA-256. Pure code gets it passed in. */
export type HmacSha256 = (secret: string, text: string) => Uint8Array;
