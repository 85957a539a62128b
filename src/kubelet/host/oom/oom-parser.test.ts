import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { createOomParser, isSystemOom, type OomKill, systemOomMessage } from "./oom-parser.ts";

const invoked = "stress invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0";
const killed =
  "Memory cgroup out of memory: Killed process 4711 (stress), UID 0, total-vm:1kB, anon-rss:1kB";
const summary = (cgroups: string): string =>
  `oom-kill:constraint=CONSTRAINT_X,nodemask=(null),cpuset=/,mems_allowed=0,${cgroups},task=stress,pid=4711,uid=0`;

each<[string, readonly string[], readonly OomKill[]]>([
  ["other messages", ["eth0: link up", killed], []],
  [
    "the limit of a container",
    [
      invoked,
      "Call Trace:",
      summary("oom_memcg=/kubepods/pod1,task_memcg=/kubepods/pod1/c"),
      killed,
    ],
    [
      {
        limitedCgroup: "/kubepods/pod1",
        victimCgroup: "/kubepods/pod1/c",
        process: "stress",
        pid: 4711,
      },
    ],
  ],
  [
    "the whole machine",
    [invoked, summary("global_oom,task_memcg=/kubepods/pod1/c"), killed],
    [{ limitedCgroup: "/", victimCgroup: "/kubepods/pod1/c", process: "stress", pid: 4711 }],
  ],
  [
    "the limit of a container, by an old kernel",
    [invoked, "Task in /kubepods/pod1/c killed as a result of limit of /kubepods/pod1", killed],
    [
      {
        limitedCgroup: "/kubepods/pod1",
        victimCgroup: "/kubepods/pod1/c",
        process: "stress",
        pid: 4711,
      },
    ],
  ],
  [
    "the whole machine, by an old kernel",
    [invoked, "Out of memory: Kill process 4711 (stress) score 900", killed],
    [{ limitedCgroup: "/", process: "stress", pid: 4711 }],
  ],
  [
    "two after each other",
    [invoked, killed, invoked, killed],
    [
      { limitedCgroup: "/", process: "stress", pid: 4711 },
      { limitedCgroup: "/", process: "stress", pid: 4711 },
    ],
  ],
])("createOomParser: %s", (_, messages, expected) => {
  const parser = createOomParser();
  const records = messages.map((message, i) => `4,${i + 100},12345,-;${message}`);
  const read = (): readonly OomKill[] =>
    [...records, " SUBSYSTEM=cpu"].map(parser.add).filter((kill) => kill !== undefined);
  expect(read()).toEqual(expected);
  expect(read()).toEqual([]);
});

each<[string, string | undefined, string | undefined, boolean]>([
  ["/", undefined, undefined, true],
  ["/kubepods/pod1", "/kubepods/pod1/c", undefined, false],
  ["/", "/box-a/kubepods/pod1/c", "/box-a", true],
  ["/box-a", "/box-a/kubepods/pod1/c", "/box-a", true],
  ["/", "/box-b/kubepods/pod1/c", "/box-a", false],
  ["/", undefined, "/box-a", false],
  ["/box-a/kubepods/pod1", "/box-a/kubepods/pod1/c", "/box-a", false],
])(
  "isSystemOom: limit of %s, process in %s, node in %s",
  (limitedCgroup, victimCgroup, node, is) => {
    expect(isSystemOom({ limitedCgroup, victimCgroup, process: "", pid: 0 }, node)).toBe(is);
  },
);

each<[string, number, string]>([
  ["stress", 4711, "System OOM encountered, victim process: stress, pid: 4711"],
  ["", 0, "System OOM encountered"],
])("systemOomMessage: %s %d", (process, pid, message) => {
  expect(systemOomMessage({ limitedCgroup: "/", process, pid })).toBe(message);
});
