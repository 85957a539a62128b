import { expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/cpu-time.ts";
import { rewriteHtml } from "./rewrite-html.ts";

const rewritten = (html: string) => rewriteHtml(html, (url) => `<${url}>`);

test.each([
  ['<a href="/x">', '<a href="</x>">'],
  ["<A class=c HREF='/x' id>t</A>", "<A class=c HREF='</x>' id>t</A>"],
  ["<img src=/x>", "<img src=</x>>"],
  ["<img src = /x/ alt=y>", "<img src = </x/> alt=y>"],
  ["<form action=/x/>", "<form action=</x/>>"],
  ["<frame longdesc=a src=b>", "<frame longdesc=<a> src=<b>>"],
  ['<p href="/x">', '<p href="/x">'],
  ['<a data-href="/x">', '<a data-href="/x">'],
  ['<a title="<b>" href="/x">', '<a title="<b>" href="</x>">'],
  ['<!-- <a href="/x"> --><!DOCTYPE html>', '<!-- <a href="/x"> --><!DOCTYPE html>'],
  ["</a href=x>", "</a href=x>"],
  ["a < b > c <3", "a < b > c <3"],
  [
    '<script src="/s">"<a href=/x>"</script ><a href=/y>',
    '<script src="</s>">"<a href=/x>"</script ><a href=</y>>',
  ],
  ["<title><a href=/x></title><base href=/>", "<title><a href=/x></title><base href=</>>"],
  ['<a href="/never ends', '<a href="/never ends'],
  ["<a =href=/x>", "<a =href=/x>"],
  ["", ""],
])("rewriteHtml: %s", (html, changed) => {
  expect(rewritten(html)).toBe(changed);
});

test("rewriteHtml: a page that is made to be slow is not", () => {
  const started = cpuTimeMs();
  for (const piece of ["<", "<a ", "<!--", "<script>", "<a href='", "</script", "<a x="])
    rewritten(piece.repeat(100_000));
  expect(cpuTimeMs() - started).toBeLessThan(5000);
});
