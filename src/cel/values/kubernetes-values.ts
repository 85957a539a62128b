import { type Cidr, formatCidr, formatIp, type Ip } from "../../schema/values/ip.ts";
import {
  compareQuantities,
  formatQuantity,
  isLargeQuantity,
  parseQuantity,
  type Quantity,
} from "../../schema/values/quantity.ts";
import { type CelError, CelOpaque, type CelValue, orNoSuchOverload } from "./cel-value.ts";
import { compareVersions, formatVersion, type SemanticVersion } from "./semantic-version.ts";

interface QuantityOptions {
  readonly decimals?: number | undefined;
  readonly isComputed?: boolean;
}

const isMax = ({ mantissa }: Quantity): boolean =>
  mantissa === 2n ** 63n - 1n || mantissa === 1n - 2n ** 63n;

/** An amount of a resource. */
export class CelQuantity extends CelOpaque {
  override readonly typeName = "kubernetes.Quantity";
  override readonly goType: string;
  override readonly nativeType = "*resource.Quantity";
  readonly quantity: Quantity;
  /** How many digits after the point Go holds, where 64 bits are too few for the amount. */
  readonly decimals: number | undefined;
  /** Whether it was computed: then no other can be compared with it, while it can with others. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, { decimals, isComputed = false }: QuantityOptions = {}) {
    super();
    this.quantity = quantity;
    this.decimals = decimals;
    this.isComputed = isComputed;
    this.goType = isComputed ? "*cel.Quantity" : "cel.Quantity";
  }

  /** Reads a quantity; throws a SyntaxError with Kubernetes' words. */
  static read(text: string): CelQuantity {
    const quantity = parseQuantity(text);
    if (!isLargeQuantity(text)) return new CelQuantity(quantity);
    // What exceeds the largest amount is that, and whole.
    const isLargest = quantity.format === "BinarySI" && quantity.scale === 0 && isMax(quantity);
    return new CelQuantity(quantity, { decimals: isLargest ? 0 : 9 });
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelQuantity && !other.isComputed
      ? compareQuantities(this.quantity, other.quantity) === 0
      : orNoSuchOverload(other);
  }

  override toString(): string {
    return formatQuantity(this.quantity);
  }
}

/** A version of software. */
export class CelVersion extends CelOpaque {
  override readonly typeName = "kubernetes.Semver";
  override readonly goType = "cel.Semver";
  override readonly nativeType = "semver.Version";
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelVersion
      ? compareVersions(this.version, other.version) === 0
      : orNoSuchOverload(other);
  }

  override toString(): string {
    return formatVersion(this.version);
  }
}

/** An IP address. */
export class CelIp extends CelOpaque {
  override readonly typeName = "net.IP";
  override readonly goType = "cel.IP";
  override readonly nativeType = "netip.Addr";
  readonly ip: Ip;

  constructor(ip: Ip) {
    super();
    this.ip = ip;
  }

  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelIp)) return orNoSuchOverload(other);
    return other.ip.version === this.ip.version && other.ip.bits === this.ip.bits;
  }

  override get size(): number {
    return this.ip.version === 4 ? 4 : 16;
  }

  override toString(): string {
    return formatIp(this.ip);
  }
}

/** A network of IP addresses. */
export class CelCidr extends CelOpaque {
  override readonly typeName = "net.CIDR";
  override readonly goType = "cel.CIDR";
  override readonly nativeType = "netip.Prefix";
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    super();
    this.cidr = cidr;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelCidr
      ? formatCidr(other.cidr) === formatCidr(this.cidr)
      : orNoSuchOverload(other);
  }

  override get size(): number {
    return Math.ceil(this.cidr.prefix / 8);
  }

  override toString(): string {
    return formatCidr(this.cidr);
  }
}
