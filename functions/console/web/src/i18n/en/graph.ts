export const graph = {
  zoom: "Size of the picture",
  zoomIn: "Larger",
  zoomOut: "Smaller",
  fit: "Fit",
  full: "100 %",
};
