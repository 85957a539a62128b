import { type Cidr, formatCidr, formatIp, type Ip } from "../../schema/values/ip.ts";
import { compareQuantities, formatQuantity, type Quantity } from "../../schema/values/quantity.ts";
import { type CelError, CelOpaque, type CelValue, orNoSuchOverload } from "./cel-value.ts";
import { compareVersions, formatVersion, type SemanticVersion } from "./semantic-version.ts";

/** An amount of a resource. */
export class CelQuantity extends CelOpaque {
  override readonly typeName = "kubernetes.Quantity";
  readonly quantity: Quantity;
  /** Whether it was computed: then no other can be compared with it, while it can with others. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, { isComputed = false } = {}) {
    super();
    this.quantity = quantity;
    this.isComputed = isComputed;
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
