/** Memory-mapped files. */

/** The file's bytes, read from disk on access; writes to them stay in this process. */
export const mapFile = (path: string): ArrayBuffer => Bun.mmap(path, { shared: false }).buffer as ArrayBuffer
