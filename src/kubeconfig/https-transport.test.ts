import { transportSuite } from "../client/suite/transport-suite.ts";
import { httpsTransport } from "./https-transport.ts";
import { testServer } from "./suite-server.test-support.ts";

for (const [name, protocol] of [
  ["HTTP/2", "h2"],
  ["HTTP/1.1", "http/1.1"],
] as const)
  transportSuite(name, {
    isNetwork: true,
    async serve(answer) {
      const server = await testServer(answer);
      const transport = httpsTransport({
        server: server.url,
        authorities: async () => server.ca,
        protocols: [protocol],
      });
      const close = async (): Promise<void> => {
        transport.close();
        await server.close();
      };
      return { transport, stop: server.close, close };
    },
  });
