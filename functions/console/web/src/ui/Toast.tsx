import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";

const Context = createContext<(text: string) => void>(() => {});

/** Short messages that a screen reader reads when it is free. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [text, setText] = useState("");
  const ref = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = useCallback((text: string) => {
    clearTimeout(timer.current);
    setText(text);
    timer.current = setTimeout(() => setText(""), 5000);
  }, []);
  // A popover is above dialogs. The last one that is shown is the highest.
  useEffect(() => {
    const element = ref.current;
    if (element?.matches(":popover-open")) element.hidePopover();
    element?.showPopover();
  }, [text]);
  return (
    <Context value={show}>
      {children}
      <div ref={ref} popover="manual" className="toast" role="status" data-shown={text !== ""}>
        {text}
      </div>
    </Context>
  );
}

export function useToast() {
  return useContext(Context);
}
