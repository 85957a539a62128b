/** A Pod as people write them: two containers, probes, resources, volumes, an affinity. */
export const typicalPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-7d4b9c6f5d-x2x9k",
    namespace: "production",
    labels: { app: "web", tier: "frontend", "app.kubernetes.io/version": "1.24.3" },
    annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "9090" },
  },
  spec: {
    serviceAccountName: "web",
    terminationGracePeriodSeconds: 30,
    containers: [
      {
        name: "web",
        image: "registry.example.com/web:1.24.3",
        command: ["/usr/bin/web"],
        args: ["--listen=:8080", "--log-format=json"],
        ports: [
          { name: "http", containerPort: 8080 },
          { name: "metrics", containerPort: 9090 },
        ],
        env: [
          { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "db", key: "url" } } },
          { name: "LOG_LEVEL", value: "info" },
        ],
        resources: {
          requests: { cpu: "250m", memory: "256Mi" },
          limits: { cpu: "1", memory: "512Mi" },
        },
        readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 5 },
        livenessProbe: { httpGet: { path: "/live", port: "http" }, initialDelaySeconds: 10 },
        volumeMounts: [
          { name: "config", mountPath: "/etc/web", readOnly: true },
          { name: "cache", mountPath: "/var/cache/web" },
        ],
        securityContext: {
          runAsNonRoot: true,
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        },
      },
      {
        name: "proxy",
        image: "registry.example.com/proxy:2.9.1",
        args: ["sidecar", "--upstream=127.0.0.1:8080"],
        ports: [{ name: "https", containerPort: 8443, protocol: "TCP" }],
        resources: { requests: { cpu: "100m", memory: "64Mi" } },
        volumeMounts: [{ name: "certs", mountPath: "/certs", readOnly: true }],
      },
    ],
    volumes: [
      {
        name: "config",
        configMap: { name: "web", items: [{ key: "web.yaml", path: "web.yaml" }] },
      },
      { name: "cache", emptyDir: { sizeLimit: "1Gi" } },
      { name: "certs", secret: { secretName: "web-tls", defaultMode: 256 } },
    ],
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              labelSelector: { matchLabels: { app: "web" } },
              topologyKey: "kubernetes.io/hostname",
            },
          },
        ],
      },
    },
    nodeSelector: { "kubernetes.io/os": "linux" },
    tolerations: [{ key: "dedicated", operator: "Equal", value: "web", effect: "NoSchedule" }],
  },
};
