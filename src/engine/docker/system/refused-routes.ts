import { DockerError } from "../http/docker-error.ts";
import { type DockerRoute, route } from "../http/docker-route.ts";

/** The parts of docker that are not part of this engine: each is rejected with its name and a reason. */
export const refusedRoutes: readonly DockerRoute[] = [
  // Part of `docker system prune`: there is nothing to remove.
  route("POST /build/prune", () => ({
    status: 200,
    json: { CachesDeleted: null, SpaceReclaimed: 0 },
  })),
  ...refused(
    501,
    "build is not supported by this engine: build images elsewhere, and load or pull them",
    ["POST /build", "POST /build/cancel", "POST /session", "POST /grpc"],
  ),
  ...refused(501, "plugins are not supported by this engine", [
    "GET /plugins",
    "GET /plugins/{rest...}",
    "POST /plugins/{rest...}",
    "DELETE /plugins/{rest...}",
  ]),
  ...refused(501, "searching registries is not supported by this engine", ["GET /images/search"]),
  ...refused(501, "checkpoints are not supported by this engine", [
    "GET /containers/{id}/checkpoints",
    "POST /containers/{id}/checkpoints",
    "DELETE /containers/{id}/checkpoints/{name}",
  ]),
  ...refused(501, "swarm is not supported by this engine: use Kubernetes", [
    "POST /swarm/init",
    "POST /swarm/join",
  ]),
  ...refused(
    503,
    'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.',
    [
      "GET /swarm",
      "GET /swarm/{rest...}",
      "POST /swarm/{rest...}",
      ...["nodes", "services", "tasks", "secrets", "configs"].flatMap((name) => [
        `GET /${name}`,
        `GET /${name}/{rest...}`,
        `POST /${name}/{rest...}`,
        `DELETE /${name}/{rest...}`,
      ]),
    ],
  ),
];

function refused(
  status: number,
  message: string,
  patterns: readonly string[],
): readonly DockerRoute[] {
  return patterns.map((pattern) =>
    route(pattern, () => {
      throw new DockerError(status, message);
    }),
  );
}
