import type { GoUrl } from "../../schema/values/go-url.ts";
import { type CelError, CelOpaque, type CelValue, orNoSuchOverload } from "./cel-value.ts";

/** A URL. */
export class CelUrl extends CelOpaque {
  override readonly typeName = "kubernetes.URL";
  override readonly goType = "cel.URL";
  override readonly nativeType = "*url.URL";
  readonly url: GoUrl;
  readonly #text: string;

  constructor(url: GoUrl, text: string) {
    super();
    this.url = url;
    this.#text = text;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelUrl ? this.toString() === other.toString() : orNoSuchOverload(other);
  }

  override toString(): string {
    const { scheme, opaque, escapedPath, query, fragment } = this.url;
    const before = scheme === "" ? "" : `${scheme}:`;
    const path = opaque === "" ? this.#authority() + escapedPath : opaque;
    const isForced = /^[^?#]*\?(?:#|$)/.test(this.#text);
    const after = query === "" && !isForced ? "" : `?${query}`;
    return `${before}${path}${after}${fragment === "" ? "" : `#${fragment}`}`;
  }
  /** A host that is empty is written, too, unless it was left out. */
  #authority(): string {
    const { scheme, user, host, escapedPath } = this.url;
    const info = user === undefined ? "" : `${user}@`;
    if (host !== "" || user !== undefined) return `//${info}${escapedHost(host)}`;
    const isOmitted = scheme === "" || escapedPath === "" || /^[^:]*:\/(?!\/)/.test(this.#text);
    return isOmitted ? "" : "//";
  }
}

const escapedHost = (host: string): string =>
  host.replace(/[^A-Za-z0-9!$&'()*+,;=:[\]<>"._~-]/gu, encodeURIComponent);
