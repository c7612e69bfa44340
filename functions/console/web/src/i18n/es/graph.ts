import type { Dictionary } from "..";

export const graph: Dictionary["graph"] = {
  zoom: "Tamaño de la imagen",
  zoomIn: "Ampliar",
  zoomOut: "Reducir",
  fit: "Ajustar",
  full: "100 %",
};
