import type { ProjectNames } from "../project-names.ts";

/** The namespace of the operator. */
export const namespaceFile = ({ name }: ProjectNames): string => `apiVersion: v1
kind: Namespace
metadata:
  name: ${name}
`;

/** Its pods, and the service by which API servers call their webhooks. */
export const deploymentFile = ({ name }: ProjectNames): string => `apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: ${name}
spec:
  selector:
    app.kubernetes.io/name: ${name}
  ports:
    - name: webhooks
      port: 443
      targetPort: webhooks
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${name}
spec:
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
    spec:
      serviceAccountName: ${name}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: operator
          image: ${name}:dev
          env:
            - name: WEBHOOK_SERVICE
              value: ${name}
            - name: PROBES_PORT
              value: "8081"
          ports:
            - name: webhooks
              containerPort: 9443
            - name: probes
              containerPort: 8081
          livenessProbe:
            httpGet:
              path: /healthz
              port: probes
          readinessProbe:
            httpGet:
              path: /readyz
              port: probes
          resources:
            requests:
              cpu: 50m
              memory: 128Mi
            limits:
              memory: 256Mi
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
`;
