import type { GoUrl } from "../../schema/values/go-url.ts";
import { type CelError, CelOpaque, type CelValue, orNoSuchOverload } from "./cel-value.ts";

/** A URL. */
export class CelUrl extends CelOpaque {
  override readonly typeName = "kubernetes.URL";
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelUrl ? this.toString() === other.toString() : orNoSuchOverload(other);
  }

  override toString(): string {
    const { scheme, opaque, user, host, escapedPath, query, fragment } = this.url;
    const authority = host === "" && user === undefined ? "" : `//${user ? `${user}@` : ""}${host}`;
    const before = scheme === "" ? "" : `${scheme}:`;
    const after = `${query === "" ? "" : `?${query}`}${fragment === "" ? "" : `#${fragment}`}`;
    return `${before}${opaque === "" ? authority + escapedPath : opaque}${after}`;
  }
}
