import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { noLog } from "../../base/log.ts";
import { embeddedEngine } from "../../kubelet/config/fields/field-kinds.ts";
import { openNodeRuntime } from "./node-runtime.ts";
import { startRealNode } from "./real-node.test-support.ts";

testWith(requires("containers"))(
  "startNode: a node is ready as soon as the configuration of its network is, and follows its changes",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "wherry-node-cni-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [configs, plugins] = [join(root, "net.d"), join(root, "bin")];
    mkdirSync(plugins);
    /** A plugin that is fine or not, when it is asked for its status. */
    const plugin = (name: string, status: string): void => {
      const version = `echo '{"cniVersion":"1.1.0","supportedVersions":["1.1.0"]}'`;
      const script = `#!/bin/sh\ncase $CNI_COMMAND in VERSION) ${version};; STATUS) ${status};; esac\n`;
      writeFileSync(join(plugins, name), script);
      chmodSync(join(plugins, name), 0o755);
    };
    plugin("fine", "exit 0");
    plugin("away", `echo '{"cniVersion":"1.1.0","code":50,"msg":"the daemon is away"}'; exit 1`);
    const configure = (type: string): void => {
      const config = { cniVersion: "1.1.0", name: "n", plugins: [{ type }] };
      writeFileSync(join(root, "draft"), JSON.stringify(config));
      renameSync(join(root, "draft"), join(configs, "10-n.conflist"));
    };
    const runtime = await openNodeRuntime({
      ...{ endpoint: embeddedEngine, imageEndpoint: "", cgroupDriver: "cgroupfs", log: noLog },
      ...{ dataDir: join(root, "engine"), runDir: join(root, "run"), podCidr: undefined },
      ...{ cniConfigDir: configs, cniPluginDirs: [plugins] },
    });
    mkdirSync(configs, { recursive: true });
    configure("away");
    const { client, nodeName } = await startRealNode({
      runtime,
      configuration: { nodeStatusUpdateFrequency: "1h", nodeStatusReportFrequency: "1h" },
    });
    const ready = async () => {
      const { status } = await client.get(Node, { name: nodeName });
      return status.conditions?.find(({ type }) => type === "Ready");
    };
    expect(await ready()).toMatchObject({
      status: "False",
      message: expect.stringContaining("the daemon is away"),
    });
    configure("fine");
    await eventually(async () => expect(await ready()).toMatchObject({ status: "True" }));
    configure("away");
    await eventually(async () => expect(await ready()).toMatchObject({ status: "False" }));
  },
);
