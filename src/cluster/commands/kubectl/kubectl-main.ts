import { main } from "../../../kubectl/main.ts";

// What `wherry kubectl` runs in a bundle of its own, without the code of servers.
main(process.argv.slice(3)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = 1;
    throw error;
  },
);
