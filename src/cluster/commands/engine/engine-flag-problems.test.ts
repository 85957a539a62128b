import { expect, test } from "vitest";
import { type CheckedEngineFlags, engineFlagProblems } from "./engine-flag-problems.ts";

interface Row {
  readonly name: string;
  readonly flags: Partial<CheckedEngineFlags>;
  readonly problems: readonly (string | RegExp)[];
}

const longest = `/run/${"x".repeat(102)}`;

test.each<Row>([
  { name: "the defaults", flags: {}, problems: [] },
  {
    name: "nothing to serve",
    flags: { listen: "" },
    problems: ["nothing to serve: give --listen or --docker-listen"],
  },
  { name: "docker alone", flags: { listen: "", "docker-listen": "unix:///d.sock" }, problems: [] },
  { name: "docker over TCP", flags: { "docker-listen": "tcp://127.0.0.1:2375" }, problems: [] },
  {
    name: "a path without unix://",
    flags: { listen: "/run/cri.sock" },
    problems: [`invalid --listen "/run/cri.sock": want unix:///PATH, an absolute path`],
  },
  {
    name: "a relative path",
    flags: { listen: "unix://run/cri.sock", "docker-listen": "unix://docker.sock" },
    problems: [
      `invalid --listen "unix://run/cri.sock": want unix:///PATH, an absolute path`,
      `invalid --docker-listen "unix://docker.sock": want unix:///PATH, an absolute path`,
    ],
  },
  { name: "the longest path", flags: { listen: `unix://${longest}` }, problems: [] },
  {
    name: "a path that is too long",
    flags: { listen: `unix://${longest}y`, "docker-listen": `unix://${longest}é` },
    problems: [
      /^invalid --listen .*: the path of a socket has at most 107 bytes, and this one has 108$/,
      /^invalid --docker-listen .*: the path of a socket has at most 107 bytes, and this one has 109$/,
    ],
  },
  {
    name: "an address of another kind",
    flags: { "docker-listen": "fd://" },
    problems: [`--docker-listen: invalid address "fd://": want unix:///PATH or tcp://HOST:PORT`],
  },
  {
    name: "a group without a socket",
    flags: { "docker-group": "docker" },
    problems: ["--docker-group needs --docker-listen unix:///PATH: only a socket has a group"],
  },
  {
    name: "a group of a TCP address",
    flags: { "docker-group": "docker", "docker-listen": "tcp://127.0.0.1:2375" },
    problems: ["--docker-group needs --docker-listen unix:///PATH: only a socket has a group"],
  },
  {
    name: "folders",
    flags: { "data-dir": `/${"d".repeat(96)}`, "run-dir": "/r" },
    problems: ["--data-dir is too long for the socket in it, by 1 bytes"],
  },
  {
    name: "no folder",
    flags: { "run-dir": "" },
    problems: ["--data-dir and --run-dir must not be empty"],
  },
])("engineFlagProblems: $name", ({ flags, problems }) => {
  const given = {
    ...{ "data-dir": "/var/lib/e", "run-dir": "/run/e", listen: "unix:///run/e/cri.sock" },
    ...{ "docker-listen": "", "docker-group": "", ...flags },
  };
  expect(engineFlagProblems(given)).toEqual(
    problems.map((one) => (one instanceof RegExp ? expect.stringMatching(one) : one)),
  );
});
