import { expect, test } from "vitest";
import { loadTranslation } from "./translation.ts";

const rows: [env: Record<string, string>, text: string][] = [
  [{}, "Modify kubeconfig files"],
  [{ LANG: "de_DE.UTF-8" }, "Verändere kubeconfig Dateien"],
  [{ LANG: "ja_JP.UTF8" }, "kubeconfigを変更する"],
  [{ LANG: "de_DE.UTF-8", LC_MESSAGES: "fr_FR.UTF-8" }, "Modifier des fichiers kubeconfig"],
  [{ LANG: "de_DE.UTF-8", LC_ALL: "en_US.UTF-8" }, "Modify kubeconfig files"],
  [{ LANG: "de_DE" }, "Modify kubeconfig files"],
  [{ LANG: "de_DE.UTF-8.x" }, "Modify kubeconfig files"],
  [{ LANG: "sv_SE.UTF-8" }, "Modify kubeconfig files"],
  [{ LANG: "constructor.UTF-8" }, "Modify kubeconfig files"],
];

test.each(rows)("loadTranslation: %j", async (env, text) => {
  const translate = await loadTranslation(env);
  expect(translate("Modify kubeconfig files")).toBe(text);
  expect(translate("toString")).toBe("toString");
});
