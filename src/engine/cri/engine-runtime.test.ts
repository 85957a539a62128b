import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { runtimeSuite } from "../../cri/cri-suite.ts";
import { realClock } from "../../platform/real-clock.ts";
import { serveTestImage, type TestEngine, testEngine, testImage } from "../engine.test-support.ts";
import { EngineImages } from "./engine-images.ts";

describeWith(requires("containers", "cniPlugins"))("CRI", () => {
  let opened: TestEngine;
  beforeAll(async () => {
    opened = await testEngine();
  });
  afterAll(() => opened?.remove());

  runtimeSuite("the engine", {
    image: testImage,
    async open() {
      await serveTestImage(opened);
      const { engine, runtime } = opened;
      const images = new EngineImages({ ...engine, clock: realClock });
      return { runtime, images, pass: (ms) => wait(ms), close: async () => undefined };
    },
  });
});
