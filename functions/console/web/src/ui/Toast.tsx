import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";

const Context = createContext<(text: string) => void>(() => {});

/** Short messages that a screen reader reads when it is free. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [text, setText] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = useCallback((text: string) => {
    clearTimeout(timer.current);
    setText(text);
    timer.current = setTimeout(() => setText(""), 5000);
  }, []);
  return (
    <Context value={show}>
      {children}
      <div className="toast" role="status" data-shown={text !== ""}>
        {text}
      </div>
    </Context>
  );
}

export function useToast() {
  return useContext(Context);
}
