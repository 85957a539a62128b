import type { Catalogue } from "./translation.ts";

/** Texts of commands in the language it_IT. */
export const itIT: Catalogue = {
  "Approve a certificate signing request": "Approva una richiesta di firma del certificato",
  "Attach to a running container": "Collega a un container in esecuzione",
  "Create a TLS secret": "Crea un secret TLS",
  "Create a namespace with the specified name": "Crea un namespace con il nome specificato",
  "Create a secret for use with a Docker registry":
    "Crea un secret da utilizzare con un registro Docker",
  "Create a service account with the specified name":
    "Creare un account di servizio con il nome specificato",
  "Delete the specified cluster from the kubeconfig":
    "Elimina il cluster specificato dal kubeconfig",
  "Delete the specified context from the kubeconfig":
    "Elimina il context specificato dal kubeconfig",
  "Deny a certificate signing request": "Nega una richiesta di firma del certificato",
  "Describe one or many contexts": "Descrive uno o più context",
  "Display clusters defined in the kubeconfig": "Mostra i cluster definiti nel kubeconfig",
  "Display merged kubeconfig settings or a specified kubeconfig file":
    "Visualizza le impostazioni merged di kubeconfig o un file kubeconfig specificato",
  "Display one or many resources": "Visualizza una o più risorse",
  "Drain node in preparation for maintenance": "Drain node in preparazione alla manutenzione",
  "Edit a resource on the server": "Modificare una risorsa sul server",
  "Execute a command in a container": "Esegui un comando in un contenitore",
  "Forward one or more local ports to a pod": "Inoltra una o più porte locali a un pod",
  "Mark node as schedulable": "Contrassegnare il nodo come programmabile",
  "Mark node as schedulable.": "Contrassegna il nodo come programmabile.",
  "Mark node as unschedulable": "Contrassegnare il nodo come non programmabile",
  "Mark node as unschedulable.": "Contrassegnare il nodo come non programmabile.",
  "Mark the provided resource as paused": "Imposta la risorsa indicata in pausa",
  "Modify kubeconfig files": "Modifica i file kubeconfig",
  "Print the client and server version information":
    "Stampa per client e server le informazioni sulla versione",
  "Print the list of flags inherited by all commands":
    "Stampa l'elenco flag ereditati da tutti i comandi",
  "Print the logs for a container in a pod": "Stampa i log per container in un pod",
  "Resume a paused resource": "Riprendere una risorsa in pausa",
  "Run a particular image on the cluster": "Esegui una particolare immagine nel cluster",
  "Run a proxy to the Kubernetes API server": "Eseguire un proxy al server Kubernetes API",
  "Set specific features on objects": "Imposta caratteristiche specifiche sugli oggetti",
  "Set the selector on a resource": "Impostare il selettore di una risorsa",
  "Show details of a specific resource or group of resources":
    "Mostra i dettagli di una specifica risorsa o un gruppo di risorse",
  "Show the status of the rollout": "Mostra lo stato del rollout",
  "Undo a previous rollout": "Annulla un precedente rollout",
  "Update resource requests/limits on objects with pod templates":
    "Aggiorna richieste di risorse/limiti sugli oggetti con pod template",
  "Update the annotations on a resource": "Aggiorna annotazioni di risorsa",
  "Update the labels on a resource": "Aggiorna label di una risorsa",
  "Update the taints on one or more nodes": "Aggiorna i taints su uno o più nodi",
  "View rollout history": "Visualizza la storia del rollout",
};
