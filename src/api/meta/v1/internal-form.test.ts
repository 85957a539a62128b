import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  bool,
  int32,
  list,
  message,
  quantity,
  string,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import { internalForm } from "./internal-form.ts";
import { LabelSelector } from "./label-selector.ts";
import { ObjectMeta } from "./object-meta.ts";

const Inner = struct("io.k8s.api.x.v1.Inner", { apiGroups: string(1), isOn: bool(2) });
const Outer = struct("io.k8s.api.x.v1.Outer", {
  count: int32(1),
  limit: int32(2).pointer(),
  inner: value(3, Inner),
  items: list(4, Inner),
  selector: message(5, LabelSelector),
  amount: quantity(6),
});

each<[rule: string, value: object, form: object]>([
  [
    "what is absent is null or zero",
    {},
    {
      Count: 0,
      Limit: null,
      Inner: { APIGroups: "", IsOn: false },
      Items: null,
      Selector: null,
      Amount: null,
    },
  ],
  [
    "what is there keeps its value, and types with names for JSON keep these",
    {
      limit: 0,
      items: [{ isOn: true }],
      selector: { matchLabels: { a: "b" }, matchExpressions: [] },
      amount: "1Gi",
    },
    {
      Count: 0,
      Limit: 0,
      Inner: { APIGroups: "", IsOn: false },
      Items: [{ APIGroups: "", IsOn: true }],
      Selector: { matchLabels: { a: "b" } },
      Amount: "1Gi",
    },
  ],
])("internalForm: %s", (_, given, form) => {
  expect(internalForm(Outer, given)).toEqual(form);
});

const Template = struct("io.k8s.api.x.v1.Template", {
  metadata: value(1, ObjectMeta),
  pkixKey: string(2),
  ips: strings(3),
});

test("internalForm: metadata is embedded, and initials are in capitals", () => {
  expect(internalForm(Template, { metadata: { labels: { a: "b" } }, pkixKey: "k" })).toEqual({
    labels: { a: "b" },
    PKIXKey: "k",
    IPs: null,
  });
});

test("internalForm: structs of one name in several versions have each their own fields", () => {
  const Older = struct("io.k8s.api.x.v1beta1.Inner", { older: bool(1) });
  expect(internalForm(Inner, { isOn: true })).toEqual({ APIGroups: "", IsOn: true });
  expect(internalForm(Older, { older: true })).toEqual({ Older: true });
});

test("internalForm: what is absent altogether is null", () => {
  expect(internalForm(Inner, undefined)).toBeNull();
});
