import type { Dictionary } from "..";
import { agents } from "./agents";
import { analytics } from "./analytics";
import { assistants } from "./assistants";
import { connections } from "./connections";
import { editor } from "./editor";
import { expression } from "./expression";
import { graph } from "./graph";
import { home } from "./home";
import { preview } from "./preview";
import { run, values } from "./run";
import { review, runs } from "./runs";
import { sharing } from "./sharing";
import { workflow } from "./workflow";
import { imports, templates, workflows } from "./workflows";

/** Los textos en español. */
export const es: Dictionary = {
  loading: "Cargando…",
  search: "Buscar",
  cancel: "Cancelar",
  close: "Cerrar",
  none: "Ninguno",
  all: "Todos",
  more: "Mostrar más",
  total: (count) => `${count} en total`,
  you: "Usted",
  actions: "Acciones",
  ownership: { label: "Compartidos", all: "Míos y compartidos", mine: "Solo míos", shared: "Solo compartidos conmigo" },
  sort: {
    label: "Ordenar por",
    updatedAt: { desc: "Último cambio, el más reciente primero", asc: "Último cambio, el más antiguo primero" },
    createdAt: { desc: "Creación, la más reciente primero", asc: "Creación, la más antigua primero" },
    name: { desc: "Nombre, de la Z a la A", asc: "Nombre, de la A a la Z" },
    requests: { desc: "Peticiones, de más a menos", asc: "Peticiones, de menos a más" },
  },

  unsaved: {
    changes: "Tiene cambios sin guardar",
    save: "Guardar",
    saving: "Guardando…",
    discard: "Descartar",
    title: "¿Descartar los cambios?",
    text: "No están guardados y se perderán.",
    keep: "Seguir editando",
  },
  choose: { none: "Nada coincide." },

  nav: {
    label: "Principal",
    skip: "Saltar al contenido",
    home: "Inicio",
    workflows: "Flujos",
    agents: "Agentes",
    runs: "Ejecuciones",
    analytics: "Análisis",
  },
  user: {
    menu: (name) => `Cuenta de ${name}`,
    language: "Idioma",
    theme: "Tema",
    themes: { system: "El del sistema", light: "Claro", dark: "Oscuro" },
    roles: { member: "Miembro", admin: "Administración", operator: "Operación" },
    signOut: "Cerrar sesión",
    signOutFailed: "No se pudo cerrar la sesión. Inténtelo de nuevo.",
  },
  signIn: {
    action: "Iniciar sesión",
    signedOut: "Ha cerrado la sesión",
    signedOutText: "Su sesión en este dispositivo ha terminado.",
    refused: "No se pudo iniciar la sesión",
    unavailable: "La consola no se puede abrir",
  },
  connection: {
    lost: "Se perdió la conexión con la plataforma. Reconectando…",
    retry: "Reintentar ahora",
    back: "Conexión restablecida",
  },
  session: {
    ended: "Su sesión ha terminado",
    refused: "No ha iniciado sesión o su sesión ha terminado. Inicie sesión de nuevo.",
    text: "Inicie sesión de nuevo en otra pestaña y vuelva aquí. Lo que ha escrito se conserva.",
    later: "Ahora no",
    back: "Ha iniciado sesión de nuevo",
  },
  keys: {
    title: "Atajos de teclado",
    goTo: (screen) => `Ir a ${screen}`,
    search: "Buscar en esta pantalla",
    show: "Mostrar los atajos",
    close: "Cerrar un diálogo o un menú",
    single: "Atajos de una sola tecla",
    off: "Los atajos de una sola tecla están desactivados en el menú de la cuenta.",
  },
  secret: {
    tryIt: "Pruébelo",
    command: "el comando",
    stored: "Ya lo he guardado",
    copyFirst: (button) => `No se volverá a mostrar. Cópielo, o pulse «${button}».`,
  },
  copy: {
    label: (what) => `Copiar: ${what}`,
    done: "Copiado",
    refused: "El navegador no permitió copiar.",
  },
  errors: {
    connection: "La plataforma no respondió. Compruebe su conexión e inténtelo de nuevo.",
    unreadable: "No se pudo leer la respuesta de la plataforma. Inténtelo de nuevo.",
    notLoaded: "No se pudo cargar esta pantalla.",
    notSaved: "El borrador no se pudo guardar. Resuelva eso primero.",
    unexpected: "La consola falló de forma inesperada. Inténtelo de nuevo o recargue la página.",
    withoutReason: (status) => `La plataforma respondió con un error (HTTP ${status}) sin indicar el motivo. Inténtelo de nuevo.`,
    code: "Código",
    details: "Detalles",
    requestId: "ID de la petición",
    retry: "Reintentar",
    failed: "Algo salió mal",
    noScreen: "Página no encontrada",
    noScreenText: "Puede que la dirección esté incompleta o ya no sea válida.",
    goHome: "Ir al inicio",
  },
  states: {
    draft: "Borrador",
    published: "Publicado",
    paused: "En pausa",
    needs_attention: "Requiere atención",
    permissions_required: "Requiere permisos",
    archived: "Archivado",
    queued: "En cola",
    running: "En curso",
    completed: "Completado",
    failed: "Fallido",
    cancelled: "Cancelado",
    canceled: "Cancelado",
    interrupted: "Interrumpido",
    waiting: "En espera",
    skipped: "Omitido",
    mapped: "Completo",
    partial: "Parcial",
    unsupported: "No compatible",
  },
  runStates: {
    queued: "En cola",
    running: "En curso",
    paused: "En pausa",
    completed: "Completada",
    failed: "Fallida",
    cancelled: "Cancelada",
  },
  runCounts: { completed: "Completadas", failed: "Fallidas", cancelled: "Canceladas" },
  callStates: {
    running: "En curso",
    completed: "Completada",
    failed: "Fallida",
    cancelled: "Cancelada",
    interrupted: "Interrumpida",
  },
  origins: { manual: "Manual", webhook: "Webhook", scheduled: "Programación", channel: "Canal", mcp: "Asistente (MCP)" },

  home,
  runs,
  review,
  workflows,
  templates,
  imports,
  run,
  preview,
  values,
  agents,
  assistants,
  sharing,
  analytics,
  workflow,
  connections,
  editor,
  expression,
  graph,
};
