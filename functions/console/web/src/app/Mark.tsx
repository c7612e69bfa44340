/** The mark of the product. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#2b55c9" />
      <path d="M7 24 16 7l9 17" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" strokeLinejoin="round" />
      <circle cx="16" cy="20" r="2.6" fill="#fff" />
    </svg>
  );
}
