import { describe, expect, test } from "vitest";
import type { ImageRunConfig } from "../../images/stored-image.ts";
import { configOf } from "./create.test-support.ts";
import { mergeImageConfig } from "./merge-image-config.ts";

const nginx: ImageRunConfig = {
  Entrypoint: ["/docker-entrypoint.sh"],
  Cmd: ["nginx"],
  Env: ["PATH=/bin", "A=image"],
  StopSignal: "SIGQUIT",
  ExposedPorts: { "80/tcp": {} },
  Labels: { from: "image", both: "image" },
  User: "web",
  WorkingDir: "/srv",
  Healthcheck: { Test: ["CMD", "check"], Interval: 5 },
};

describe("mergeImageConfig", () => {
  test.each<{ readonly name: string; readonly own: object; readonly merged: object }>([
    {
      name: "a command replaces the image's command only",
      own: { Cmd: ["ls"] },
      merged: { Entrypoint: ["/docker-entrypoint.sh"], Cmd: ["ls"], StopSignal: "SIGQUIT" },
    },
    {
      name: "an entry point removes the image's command",
      own: { Entrypoint: ["sh"] },
      merged: { Entrypoint: ["sh"], Cmd: null },
    },
    {
      name: "an empty entry point removes the image's",
      own: { Entrypoint: [""], Cmd: ["ls"] },
      merged: { Entrypoint: null, Cmd: ["ls"] },
    },
    {
      name: "variables of the container come first and win",
      own: { Env: ["A=own", "B=1"] },
      merged: { Env: ["A=own", "B=1", "PATH=/bin"] },
    },
    {
      name: "labels and ports are joined",
      own: { Labels: { both: "own" }, ExposedPorts: { "81/tcp": {} } },
      merged: {
        Labels: { from: "image", both: "own" },
        ExposedPorts: { "80/tcp": {}, "81/tcp": {} },
      },
    },
    {
      name: "user and folder are the container's where it has them",
      own: { User: "root" },
      merged: { User: "root", WorkingDir: "/srv" },
    },
    {
      name: "a healthcheck is filled in",
      own: { Healthcheck: { Interval: 7 } },
      merged: {
        Healthcheck: {
          Test: ["CMD", "check"],
          Interval: 7,
          Timeout: 0,
          StartPeriod: 0,
          StartInterval: 0,
          Retries: 0,
        },
      },
    },
  ])("$name", ({ own, merged }) => {
    expect(mergeImageConfig(configOf(own), nginx)).toMatchObject(merged);
  });

  test("a container without any command is rejected", () => {
    expect(() => mergeImageConfig(configOf(), {})).toThrow("no command specified");
  });
});

test("mergeImageConfig: ports and signals of an image that are none are left out", () => {
  const image = {
    Cmd: ["sh"],
    StopSignal: "NOSUCH",
    ExposedPorts: {
      "80/tcp": {},
      "81/tcp accept; flush ruleset": {},
      "70000": {},
      "80-90/tcp": {},
    },
  };
  expect(mergeImageConfig(configOf(), image)).toMatchObject({ StopSignal: "" });
  expect(mergeImageConfig(configOf(), image).ExposedPorts).toEqual({ "80/tcp": {} });
});
