import { type DragEvent, type ReactNode, useRef, useState } from "react";

interface DropAreaProps {
  text: string;
  onFile: (file: File) => void;
  children: ReactNode;
}

/** A part of the screen onto which a file can be dropped. */
export function DropArea({ text, onFile, children }: DropAreaProps) {
  const [isOver, setIsOver] = useState(false);
  // Entering a child leaves the parent: only the balance says whether the file is still above.
  const depth = useRef(0);
  const hasFile = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  const leave = () => {
    depth.current = 0;
    setIsOver(false);
  };
  return (
    <div
      className="drop-area"
      onDragEnter={(event) => {
        if (!hasFile(event)) return;
        depth.current += 1;
        setIsOver(true);
      }}
      onDragOver={(event) => hasFile(event) && event.preventDefault()}
      onDragLeave={() => {
        depth.current -= 1;
        if (depth.current <= 0) leave();
      }}
      onDrop={(event) => {
        if (!hasFile(event)) return;
        event.preventDefault();
        leave();
        const file = event.dataTransfer.files[0];
        if (file !== undefined) onFile(file);
      }}
    >
      {children}
      {isOver && <div className="drop-hint">{text}</div>}
    </div>
  );
}
