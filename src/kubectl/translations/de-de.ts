import type { Catalogue } from "./translation.ts";

/** Texts of commands in the language de_DE. */
export const deDE: Catalogue = {
  "Approve a certificate signing request": "Genehmige eine Certificate-Signing-Request",
  "Attach to a running container": "Weise einem laufenden Container zu",
  "Create a TLS secret": "Erstelle ein TLS-Secret",
  "Create a namespace with the specified name": "Erstelle einen Namespace mit dem gegebenen Namen",
  "Create a secret for use with a Docker registry":
    "Erstelle ein Secret für die Benutzung mit einer Docker-Registry",
  "Create a service account with the specified name":
    "Erstelle einen ServiceAccount mit dem gegebenen Namen",
  "Delete the specified cluster from the kubeconfig":
    "Lösche das angegebene Cluster aus der kubeconfig",
  "Delete the specified context from the kubeconfig":
    "Lösche den angegebenen Kontext aus der kubeconfig",
  "Deny a certificate signing request": "Lehne eine Certificate-Signing-Request ab",
  "Describe one or many contexts": "Beschreibe einen oder mehrere Kontexte",
  "Display clusters defined in the kubeconfig":
    "Zeige Cluster, die in der kubeconfig definiert sind",
  "Display merged kubeconfig settings or a specified kubeconfig file":
    "Zeige vereinte kubeconfig-Einstellungen oder die angegebene kubeconfig-Datei",
  "Display one or many resources": "Zeige eine oder mehrere Resourcen",
  "Drain node in preparation for maintenance": "Leere Knoten, um eine Wartung vorzubereiten",
  "Edit a resource on the server": "Bearbeite eine Resource auf dem Server",
  "Execute a command in a container": "Führe einen Befehl im Container aus",
  "Forward one or more local ports to a pod":
    "Leite einen oder mehrere lokale Ports an einen Pod weiter",
  "Mark node as schedulable": "Markiere Knoten als schedulable",
  "Mark node as schedulable.": "Markiere Knoten als schedulable.",
  "Mark node as unschedulable": "Markiere Knoten als unschedulable",
  "Mark node as unschedulable.": "Markiere Knoten als unschedulable.",
  "Mark the provided resource as paused": "Markiere die gegebene Resource als pausiert",
  "Modify kubeconfig files": "Verändere kubeconfig Dateien",
  "Print the client and server version information":
    "Schreibt die Client- und Server-Versionsinformation",
  "Print the list of flags inherited by all commands":
    "Schreibt die Liste von Optionen, die alle Befehle erben",
  "Print the logs for a container in a pod": "Schreibt die Logs für einen Container in einem Pod",
  "Resume a paused resource": "Setze eine pausierte Resource fort",
  "Run a particular image on the cluster": "Starte ein bestimmtes Image auf dem Cluster",
  "Run a proxy to the Kubernetes API server": "Starte einen Proxy zum Kubernetes-API-Server",
  "Set specific features on objects": "Setze bestimmte Features auf Objekten",
  "Set the selector on a resource": "Setze den Selektor auf einer Resource",
  "Show details of a specific resource or group of resources":
    "Zeige Details zu einer bestimmten Resource oder Gruppe von Resourcen",
  "Show the status of the rollout": "Zeige den Status des Rollout",
  "Undo a previous rollout": "Widerrufe ein vorheriges Rollout",
  "Update resource requests/limits on objects with pod templates":
    "Aktualisiere Resourcen requests/limits auf Objekten mit Pod-Templates",
  "Update the annotations on a resource": "Aktualisiere die Annotationen auf einer Resource",
  "Update the labels on a resource": "Aktualisiere die Labels auf einer Resource",
  "Update the taints on one or more nodes":
    "Aktualisiere die Taints auf einem oder mehreren Knoten",
  "View rollout history": "Zeige rollout-Verlauf",
};
