import { setTimeout as wait } from "node:timers/promises";
import { describeWith, requires } from "../../../test/requires.ts";
import { runtimeSuite } from "../../cri/cri-suite.ts";
import { realClock } from "../../platform/real-clock.ts";
import { serveTestImage, testEngine, testImage } from "../engine.test-support.ts";
import { EngineImages } from "./engine-images.ts";

describeWith(requires("containers", "cniPlugins"))("CRI", () => {
  runtimeSuite("the engine", {
    image: testImage,
    async open() {
      const opened = await testEngine();
      const { engine, runtime, root } = opened;
      const images = new EngineImages({ ...engine, folder: root, clock: realClock });
      await serveTestImage(opened);
      return { runtime, images, pass: (ms) => wait(ms), close: () => opened.remove() };
    },
  });
});
