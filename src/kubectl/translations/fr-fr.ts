import type { Catalogue } from "./translation.ts";

/** Texts of commands in the language fr_FR. */
export const frFR: Catalogue = {
  "Delete the specified cluster from the kubeconfig": "Supprimer le cluster spécifié du kubeconfig",
  "Delete the specified context from the kubeconfig":
    "Supprimer le contexte spécifié du kubeconfig",
  "Describe one or many contexts": "Décrire un ou plusieurs contextes",
  "Display clusters defined in the kubeconfig": "Afficher les cluster définis dans kubeconfig",
  "Display merged kubeconfig settings or a specified kubeconfig file":
    "Afficher les paramètres fusionnés de kubeconfig ou d'un fichier kubeconfig spécifié",
  "Modify kubeconfig files": "Modifier des fichiers kubeconfig",
  "Update the annotations on a resource": "Mettre à jour les annotations d'une ressource",
};
