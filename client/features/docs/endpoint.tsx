import { createSignal, For, onMount, Show, Suspense } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { CopyButton } from '#client/ui/console/copy.tsx'
import { later } from '#client/ui/later.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'
import type { DocEndpoint, DocField, DocSample } from '#shared/console/docs'
import { colourLater, languageOf } from './colours.ts'
import { Markup } from './markup.tsx'
import { t } from './messages.ts'
import { hrefOf } from './reference.ts'

const TryIt = later(async () => (await import('./try-it.tsx')).TryIt)

/** The language of the samples, shared by all pages and remembered. */
const [language, setLanguage] = createSignal(readLocalStorage('docs-language') ?? 'curl')
const choose = (value: string) => {
  setLanguage(value)
  writeLocalStorage('docs-language', value)
}

/** An endpoint: description, fields, samples, and a call from the page. */
export function Endpoint(props: { page: string; endpoint: DocEndpoint; first: boolean }) {
  return (
    <section class="docs-endpoint" aria-labelledby={props.endpoint.id}>
      <header>
        <h3 id={props.endpoint.id}>
          <a class="docs-anchor" href={hrefOf(props.page, props.endpoint.id)}>
            {props.endpoint.summary}
          </a>{' '}
          <span class="address">
            <span class="method">{props.endpoint.method}</span> <code>{props.endpoint.path}</code>
          </span>
        </h3>
        <CopyButton text={props.endpoint.path} what={props.endpoint.path} />
      </header>
      <div class="docs-columns">
        <div class="min-w-0">
          <Markup page={props.page} html={props.endpoint.html} />
          <Fields title={t('body')} fields={props.endpoint.takes} open={props.first} />
          <Fields title={t('answer')} fields={props.endpoint.gives} />
          <Errors codes={props.endpoint.errors} />
        </div>
        <Calls endpoint={props.endpoint} />
      </div>
    </section>
  )
}

/** The samples of an endpoint, and the call that can be made from here. */
export function Calls(props: { endpoint: DocEndpoint }) {
  const [trying, setTrying] = createSignal(false)
  return (
    <div class="docs-calls">
      <Show when={props.endpoint.samples.length > 0}>
        <Samples path={props.endpoint.path} samples={props.endpoint.samples} />
      </Show>
      <Show when={props.endpoint.tryIt}>
        {(call) => (
          <Show
            when={trying()}
            fallback={
              <Button class="justify-self-start" icon="play" onClick={() => setTrying(true)}>
                {t('tryIt')}
              </Button>
            }
          >
            <Suspense>
              <TryIt method={props.endpoint.method} path={call().path} body={call().body} />
            </Suspense>
          </Show>
        )}
      </Show>
    </div>
  )
}

function Samples(props: { path: string; samples: readonly DocSample[] }) {
  const languages = () => [...new Set(props.samples.map((sample) => sample.language))]
  const shown = () => languages().find((one) => one === language()) ?? languages()[0]
  return (
    <div class="code-sample">
      <header>
        <div class="flex min-w-0 flex-1 gap-1 overflow-x-auto">
          <For each={languages()}>
            {(one) => (
              <button type="button" aria-pressed={one === shown()} onClick={() => choose(one)}>
                {one}
              </button>
            )}
          </For>
        </div>
      </header>
      <For each={props.samples.filter((sample) => sample.language === shown())}>
        {(sample) => (
          <div class="docs-sample">
            <Show when={sample.note}>
              <p class="hint px-3 pt-2">{sample.note}</p>
            </Show>
            {/* biome-ignore lint/a11y/useSemanticElements: a named group that scrolls, reachable by keyboard */}
            <pre tabindex="0" role="group" aria-label={`${sample.language}, ${props.path}${sample.note ? `, ${sample.note}` : ''}`}>
              <Code sample={sample} />
            </pre>
            <div class="docs-copy">
              <CopyButton text={sample.text} what={`${sample.language}, ${props.path}`} />
            </div>
          </div>
        )}
      </For>
    </div>
  )
}

function Code(props: { sample: DocSample }) {
  let place: HTMLElement | undefined
  onMount(() => place && colourLater(place, props.sample.text, languageOf(props.sample.language)))
  return <code ref={place}>{props.sample.text}</code>
}

/** The errors that it may return, each linked to its description. */
function Errors(props: { codes: readonly string[] }) {
  return (
    <Show when={props.codes.length > 0}>
      <details class="docs-fields">
        <summary>
          {t('errors')} <span class="hint">{props.codes.length}</span>
        </summary>
        <p class="docs-codes">
          <For each={props.codes}>
            {(code) => (
              <a href={hrefOf('errors', `error-${code}`)}>
                <code>{code}</code>
              </a>
            )}
          </For>
        </p>
      </details>
    </Show>
  )
}

/** The fields of a body, rendered when opened: a page has thousands of them. */
function Fields(props: { title: string; fields: readonly DocField[]; open?: boolean }) {
  const [open, setOpen] = createSignal(props.open ?? false)
  return (
    <Show when={props.fields.length > 0}>
      <details class="docs-fields" open={open()} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {props.title} <span class="hint">{props.fields.length}</span>
        </summary>
        <ul>
          <For each={open() ? props.fields : []}>
            {(field) => (
              <li>
                <code>{field.path}</code> <span class="hint">{field.type}</span>
                <Show when={field.required}>
                  {' '}
                  <span class="bdg">{t('required')}</span>
                </Show>
                <Show when={field.means}>
                  <p>
                    <For each={field.means.split('`')}>{(part, at) => (at() % 2 === 1 ? <code>{part}</code> : part)}</For>
                  </p>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </details>
    </Show>
  )
}
