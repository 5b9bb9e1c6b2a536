/**
 * The text of a reply. While it streams, complete blocks stay as they are and only the open tail is rendered again. The
 * renderer is loaded on first use; until then the text is shown plain.
 */
import { createEffect, createMemo, createSignal, For, Match, onCleanup, Show, Switch, untrack } from 'solid-js'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { asCode, createBlockStream, definitionsOf, splitBlocks } from './blocks.ts'
import { CodeBlock } from './code-block.tsx'
import { keepNodes, takeNodes } from './kept-nodes.ts'
import { createPartState, createPartWindow, guessBlockHeight, type PartWindow } from './window.ts'

type Renderer = typeof import('./render.ts')
const [renderer, setRenderer] = createSignal<Renderer | undefined>()
let loading: Promise<void> | undefined

/** Preloads the renderer. Offline, text stays plain, and the next reply retries. */
export function loadProse(): Promise<void> {
  loading ??= import('./render.ts').then(
    (module) => void setRenderer(module),
    () => {
      loading = undefined
    },
  )
  return loading
}

/** Markdown text, which may still be growing (`running`). */
export function Prose(props: { text: string; running: boolean }) {
  void loadProse()
  // Stays set when the stream ends, so that nothing has to be laid out again.
  const flowed = untrack(() => props.running)
  const stream = createBlockStream()
  const streamed = createMemo(() => {
    if (!props.running) return undefined
    stream.push(props.text)
    return { blocks: stream.done, tail: stream.tail() }
  })
  const blocks = createMemo((before: string[]) => {
    const now = streamed()
    if (now === undefined) return splitBlocks(props.text)
    // Complete blocks are append-only: the same count means the same blocks.
    return now.blocks.length === before.length ? before : [...now.blocks]
  }, [])
  const definitions = createMemo(() => (props.running ? '' : definitionsOf(props.text)))
  const parts = createMemo(() => Array.from({ length: Math.max(1, Math.ceil(blocks().length / partSize)) }, (_, index) => index), [], {
    equals: (a, b) => a.length === b.length,
  })
  const partWindow = createPartWindow()
  const printing = createMediaQuery('print')
  return (
    <div class="md" classList={{ flowed }}>
      <For each={parts()}>
        {(index) => {
          const last = () => index === parts().length - 1
          return (
            <Part
              blocks={blocks().slice(index * partSize, (index + 1) * partSize)}
              definitions={definitions()}
              tail={last() ? streamed()?.tail : undefined}
              // A short reply is rendered in full, a long one only near the viewport.
              always={last() || parts().length <= wholeParts || printing()}
              partWindow={partWindow}
            />
          )
        }}
      </For>
    </div>
  )
}

/** Blocks of a part. */
const partSize = 16
/** Replies of up to so many parts are never windowed. */
const wholeParts = 3

/** Some blocks of a reply, mounted while they are near the viewport. */
function Part(props: { blocks: string[]; definitions: string; tail: string | undefined; always: boolean; partWindow: PartWindow }) {
  let place: HTMLDivElement | undefined
  const state = createPartState(
    // One that arrives as the last is visible; of many that arrive at once, the window shows those near the viewport.
    untrack(() => props.always),
    untrack(() => props.blocks.reduce((sum, block) => sum + guessBlockHeight(block), 0)),
  )
  createEffect(() => {
    if (props.always || !place) return
    const part = place
    onCleanup(props.partWindow.watch(part, (near) => state.show(part, near)))
  })
  const shown = () => props.always || state.shown()
  return (
    <div ref={place} class="md-part" style={{ height: shown() ? undefined : `${state.height()}px` }}>
      <Show when={shown()}>
        <For each={props.blocks}>{(block) => <Block text={block} definitions={props.definitions} open={false} />}</For>
        <Show when={props.tail !== undefined}>
          <Tail text={props.tail ?? ''} />
        </Show>
      </Show>
    </div>
  )
}

/** The open end of a stream, with the caret. */
function Tail(props: { text: string }) {
  const code = createMemo(() => asCode(props.text))
  return (
    <Switch fallback={<Block text={props.text} definitions="" open />}>
      <Match when={props.text.trim() === ''}>
        <span class="caret" aria-hidden="true" />
      </Match>
      <Match when={code()}>{(fenced) => <CodeBlock language={fenced().language} code={fenced().code} open />}</Match>
    </Switch>
  )
}

function Block(props: { text: string; definitions: string; open: boolean }) {
  const code = createMemo(() => (props.open ? undefined : asCode(props.text)))
  return (
    <Switch fallback={<Formatted {...props} />}>
      <Match when={renderer() === undefined}>
        <p class="whitespace-pre-wrap">{props.text}</p>
      </Match>
      <Match when={code()}>{(fenced) => <CodeBlock language={fenced().language} code={fenced().code} open={false} />}</Match>
    </Switch>
  )
}

function Formatted(props: { text: string; definitions: string; open: boolean }) {
  let place: HTMLDivElement | undefined
  let alive = true
  /** The text that is shown or being rendered. */
  let current: string | undefined
  let isFinished = false
  onCleanup(() => {
    alive = false
    if (isFinished && place) keepNodes(`text ${current}`, place)
  })
  const draw = async () => {
    const { drawMath } = await import('./math.ts')
    if (alive && place) await drawMath(place)
  }
  createEffect(() => {
    const module = renderer()
    if (!module || !place) return
    const { text, open } = props
    const source = module.sourceOf(text, props.definitions)
    current = source
    const kept = open ? undefined : takeNodes(`text ${source}`)
    isFinished = kept !== undefined
    if (kept) return place.replaceChildren(kept)
    const drawn = module.renderBlock(source)
    if (drawn instanceof Promise) {
      // Parsed by the worker: the current content stays until the result arrives, and stays text if none does.
      if (place.childNodes.length === 0) showPlain(place, text)
      void drawn.then((nodes) => alive && place && current === source && show(place, nodes, source))
    } else show(place, drawn, source)
  })
  function show(where: HTMLDivElement, nodes: DocumentFragment | undefined, source: string): void {
    const hasMath = nodes?.querySelector('[data-math]') != null
    if (nodes) where.replaceChildren(nodes)
    else showPlain(where, props.text)
    if (props.open) {
      if (nodes) addCaret(where)
      return
    }
    const finish = () => {
      if (current === source) isFinished = true
    }
    // Offline, a formula stays as it was written.
    if (hasMath) draw().then(finish, () => undefined)
    else finish()
  }
  return <div ref={place} />
}

function showPlain(place: HTMLElement, text: string): void {
  const plain = document.createElement('p')
  plain.className = 'whitespace-pre-wrap'
  plain.textContent = text
  place.replaceChildren(plain)
}

/** Puts the caret at the end of the last line of text, however deeply it is nested. */
function addCaret(place: HTMLElement): void {
  const caret = document.createElement('span')
  caret.className = 'caret'
  caret.setAttribute('aria-hidden', 'true')
  let end: Element = place
  while (end.lastElementChild && /^(P|LI|UL|OL|BLOCKQUOTE|DIV|H\d)$/.test(end.lastElementChild.tagName)) end = end.lastElementChild
  end.append(caret)
}
