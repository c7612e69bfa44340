import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { queryClient } from "./app/queries";
import "./app/theme";
import { LanguageProvider } from "./i18n";
import "./styles/theme.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/parts.css";
import "./styles/shell.css";
import "./styles/screens.css";
import "./styles/graph.css";
import "./styles/run.css";
import "./styles/workflow.css";
import "./styles/agents.css";
import "./styles/chart.css";
import { ToastProvider } from "./ui/Toast";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <LanguageProvider>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <App />
        </ToastProvider>
      </QueryClientProvider>
    </LanguageProvider>
  </StrictMode>,
);
