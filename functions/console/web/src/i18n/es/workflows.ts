import type { Dictionary } from "..";
import { plural } from "../plural";

export const workflows: Dictionary["workflows"] = {
  title: "Flujos",
  new: "Nuevo",
  newName: "Nuevo flujo",
  import: "Importar",
  fromTemplate: "Desde plantilla",
  drop: "Suelte el archivo para importarlo",
  name: "Nombre",
  state: "Estado",
  allStates: "Todos los estados",
  owner: "Propietario",
  release: "Versión",
  changed: "cambios sin publicar",
  updated: "Último cambio",
  lastRun: "Última ejecución",
  runs: "Ejecuciones",
  failures: "Fallidas",
  empty: "Ningún flujo coincide",
  none: "Todavía no hay flujos",
  noneText: "Empiece con una plantilla o importe un archivo de esta plataforma, de n8n o de Dify.",
  menu: (name) => `Acciones de ${name}`,
  changes: { pause: "Pausar", resume: "Reanudar", archive: "Archivar", restore: "Restaurar" },
  done: {
    pause: (name) => `${name} está en pausa`,
    resume: (name) => `${name} vuelve a ejecutarse`,
    archive: (name) => `${name} está archivado`,
    restore: (name) => `${name} está restaurado`,
  },
  clone: "Clonar",
  export: "Exportar",
  created: (name) => `Creado: ${name}`,
  archiveTitle: (name) => `¿Archivar ${name}?`,
  archiveText: "Sus disparadores se detienen y no se puede editar hasta restaurarlo. Sus ejecuciones se conservan.",
};

export const templates: Dictionary["templates"] = {
  category: "Categoría",
  categories: {
    support: "Soporte",
    knowledge: "Conocimiento",
    sales: "Ventas",
    documents: "Documentos",
    content: "Contenido",
    analysis: "Análisis",
    operations: "Operaciones",
  },
  use: "Usar",
  useNamed: (name) => `Usar: ${name}`,
  picture: (nodes) => `Imagen del grafo: ${nodes} ${plural(nodes, "nodo", "nodos")}`,
  empty: "Ninguna plantilla coincide",
};

export const imports: Dictionary["imports"] = {
  file: "Archivo",
  kinds: "Una exportación de esta plataforma, un flujo de n8n (JSON) o una aplicación de Dify (YAML). También puede soltarlo en la lista.",
  done: (name) => `Importado: ${name}`,
  summary: (mapped, total) => `Nodos importados por completo: ${mapped} de ${total}.`,
  nodes: "Nodos del archivo",
  node: "Nodo",
  status: "Importación",
  why: "Explicación",
  reconnect: "Reconecte o compruebe",
};
