/**
 * The start of the single executable: `parley` serves, `parley WORD ...` is the command line. A script of this program that the
 * executable is started with, which it does itself for processes of its own, is run in place of these; nothing else can be.
 */
const scripts = `${import.meta.dir}/dist/server/`
const words = process.argv.slice(2)
const own = words[0]?.startsWith(scripts) ? words.shift() : undefined
const script = own ?? `${scripts}${words.length === 0 ? 'main' : 'cli'}.js`
process.argv = [process.argv[0], script, ...words]
await import(script)
