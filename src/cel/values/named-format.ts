import { type CelError, CelOpaque, type CelValue, orNoSuchOverload } from "./cel-value.ts";

/** A format that texts can be checked for. */
export class NamedFormat extends CelOpaque {
  override readonly typeName = "kubernetes.NamedFormat";
  override readonly goType = "cel.Format";
  readonly name: string;
  /** How long the regular expression is that the cost of a check is counted by. */
  readonly maxRegexpSize: number;
  /** What is wrong with a text. */
  readonly faultsOf: (text: string) => readonly string[];

  constructor(
    name: string,
    {
      maxRegexpSize,
      faultsOf,
    }: { readonly maxRegexpSize: number; readonly faultsOf: (text: string) => readonly string[] },
  ) {
    super();
    this.name = name;
    this.maxRegexpSize = maxRegexpSize;
    this.faultsOf = faultsOf;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof NamedFormat ? other.name === this.name : orNoSuchOverload(other);
  }

  override toString(): string {
    return this.name;
  }
}
