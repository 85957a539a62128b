import { labelFilter, type MetricSelection, omission } from "./metric-selection.ts";
import type {
  Counter,
  Family,
  Gauge,
  Histogram,
  HistogramDefinition,
  MetricDefinition,
  Metrics,
} from "./metrics.ts";
import { escapeLabel, familyHead, formatNumber } from "./metrics-text.ts";

/** Collects metrics and writes them in Prometheus' text format 0.0.4. */
export class MetricsRegistry implements Metrics {
  readonly #families = new Map<string, RegisteredFamily>();
  readonly #collectors: (() => void)[] = [];
  readonly #selection: MetricSelection;
  #hidden = 0;
  #unexpected = 0;

  /** Metrics that are not selected can be used like others, and are not written. */
  constructor(selection: MetricSelection = {}) {
    this.#selection = selection;
  }

  counter(definition: MetricDefinition): Family<Counter> {
    return this.#family(definition, "counter", () => new NumberSeries());
  }

  gauge(definition: MetricDefinition): Family<Gauge> {
    return this.#family(definition, "gauge", () => new NumberSeries());
  }

  histogram(definition: HistogramDefinition): Family<Histogram> {
    const { buckets } = definition;
    return this.#family(definition, "histogram", () => new HistogramSeries(buckets));
  }

  onRead(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** What there is to count. */
  definitions(): MetricDefinition[] {
    return [...this.#families.values()]
      .filter(({ isOmitted }) => !isOmitted)
      .map(({ definition }) => definition);
  }

  /** How many metrics are hidden and disabled, and how many values of labels were not allowed. */
  omitted(): { readonly hidden: number; readonly disabled: number; readonly unexpected: number } {
    const { disabled = new Set() } = this.#selection;
    return { hidden: this.#hidden, disabled: disabled.size, unexpected: this.#unexpected };
  }

  /** All metrics in the text format, sorted by name. */
  text(): string {
    for (const collect of this.#collectors) collect();
    const names = [...this.#families.keys()].sort();
    return names.map((name) => this.#families.get(name)?.text() ?? "").join("");
  }

  /** Resets all metrics; those that a caller holds can still be used. */
  reset(): void {
    for (const family of this.#families.values()) family.reset();
  }

  #family<S extends Series>(
    definition: MetricDefinition,
    type: string,
    make: () => S,
  ): FamilyOf<S> {
    const known = this.#families.get(definition.name);
    if (known) return known as FamilyOf<S>;
    const why = omission(definition, this.#selection);
    if (why === "hidden") this.#hidden++;
    const allow = labelFilter(definition, this.#selection, () => this.#unexpected++);
    const family = new FamilyOf(definition, { type, make, allow, isOmitted: why !== undefined });
    this.#families.set(definition.name, family);
    return family;
  }
}

/** The value for one combination of labels. */
interface Series {
  /** Whether it was created or used since the last reset: only then it is written. */
  isLive: boolean;
  reset(): void;
  lines(name: string, labels: string): string;
}

interface RegisteredFamily {
  readonly definition: MetricDefinition;
  /** Whether it is not written. */
  readonly isOmitted: boolean;
  text(): string;
  reset(): void;
}

/** More combinations of labels than any metric has; further ones share one value. */
const mostSeries = 20_000;

interface FamilyParts<S> {
  readonly type: string;
  readonly make: () => S;
  /** Replaces values of labels that are not allowed. */
  readonly allow: ((values: readonly string[]) => readonly string[]) | undefined;
  readonly isOmitted: boolean;
}

class FamilyOf<S extends Series> implements Family<S>, RegisteredFamily {
  readonly definition: MetricDefinition;
  readonly isOmitted: boolean;
  readonly #type: string;
  readonly #make: () => S;
  readonly #allow: FamilyParts<S>["allow"];
  /** In an omitted family, the value of all combinations. */
  readonly #unwritten: S | undefined;
  /** By the text of the labels, which are sorted by name. */
  readonly #series = new Map<string, S>();
  /** The text before each label's value, and the index of the value. */
  readonly #labels: readonly (readonly [before: string, index: number])[];

  constructor(definition: MetricDefinition, { type, make, allow, isOmitted }: FamilyParts<S>) {
    this.definition = definition;
    this.isOmitted = isOmitted;
    this.#type = type;
    this.#make = make;
    this.#allow = allow;
    this.#unwritten = isOmitted ? make() : undefined;
    const labels = (definition.labels ?? []).map((name, index) => [name, index] as const);
    this.#labels = labels
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, index], at) => [`${at > 0 ? "," : ""}${name}="`, index]);
  }

  of(...values: readonly string[]): S {
    if (this.#unwritten) return this.#unwritten;
    const key = this.#key(this.#allow ? this.#allow(values) : values);
    let series = this.#series.get(key);
    if (!series) {
      series = this.#make();
      if (this.#series.size < mostSeries) this.#series.set(key, series);
    }
    series.isLive = true;
    return series;
  }

  remove(...values: readonly string[]): void {
    this.#series.delete(this.#key(values));
  }

  #key(values: readonly string[]): string {
    let key = "";
    for (const [before, index] of this.#labels)
      key += `${before}${escapeLabel(values[index] ?? "")}"`;
    return key;
  }

  text(): string {
    const { name } = this.definition;
    const live = [...this.#series].filter(([, { isLive }]) => isLive);
    if (live.length === 0) return "";
    const lines = live
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([labels, series]) => series.lines(name, labels));
    return `${familyHead(this.definition, this.#type)}${lines.join("")}`;
  }

  reset(): void {
    for (const series of this.#series.values()) {
      series.reset();
      series.isLive = false;
    }
  }
}

class NumberSeries implements Series, Counter, Gauge {
  isLive = true;
  #value = 0;

  add(amount: number): void {
    this.#value += amount;
    this.isLive = true;
  }

  set(value: number): void {
    this.#value = value;
    this.isLive = true;
  }

  reset(): void {
    this.#value = 0;
  }

  lines(name: string, labels: string): string {
    return `${name}${inBraces(labels)} ${formatNumber(this.#value)}\n`;
  }
}

class HistogramSeries implements Series, Histogram {
  isLive = true;
  readonly #bounds: readonly number[];
  /** How many values fell between a bound and the one before it; the last is for values above all. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number, times = 1): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + times;
    this.#sum += value * times;
    this.isLive = true;
  }

  reset(): void {
    this.#counts.fill(0);
    this.#sum = 0;
  }

  lines(name: string, labels: string): string {
    const comma = labels === "" ? "" : ",";
    let count = 0;
    let text = "";
    for (const [i, inBucket] of this.#counts.entries()) {
      count += inBucket;
      const bound = formatNumber(this.#bounds[i] ?? Infinity);
      text += `${name}_bucket{${labels}${comma}le="${bound}"} ${formatNumber(count)}\n`;
    }
    const braces = inBraces(labels);
    text += `${name}_sum${braces} ${formatNumber(this.#sum)}\n`;
    return `${text}${name}_count${braces} ${formatNumber(count)}\n`;
  }
}

const inBraces = (labels: string): string => (labels === "" ? "" : `{${labels}}`);
