import { createEffect, createSignal, createUniqueId, on, Show } from 'solid-js'
import { clamp, isRefused, rangeOf, readNumber, type SliderName, type Switched } from '#client/features/playground/conversation/settings.ts'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import { IconButton } from '#client/ui/button.tsx'
import { formatCount } from '#client/ui/format.ts'
import { Switch } from '#client/ui/switch.tsx'
import type { ModelRow } from '#shared/console/model'

const helps: Record<SliderName, MessageKey> = {
  temperature: 'temperatureHelp',
  topP: 'topPHelp',
  frequencyPenalty: 'frequencyPenaltyHelp',
  presencePenalty: 'presencePenaltyHelp',
  maxTokens: 'maxTokensHelp',
}

/** One parameter: switch, name and help, then a slider and a number box that set the same value. Off means that nothing is sent. */
export function SliderRow(props: {
  name: SliderName
  value: Switched<number>
  model: ModelRow | undefined
  note: string | undefined
  onChange(value: Switched<number>): void
}) {
  const id = createUniqueId()
  const [help, setHelp] = createSignal(false)
  const [typed, setTyped] = createSignal('')
  const [correction, setCorrection] = createSignal('')
  const range = () => rangeOf(props.name, props.model)
  const value = () => clamp(props.value.value, range())
  const label = () => t(props.name)
  createEffect(on([() => props.value.on, value], () => setTyped(props.value.on ? String(value()) : '')))

  const set = (next: number) => props.onChange({ on: true, value: clamp(next, range()) })
  const commit = () => {
    if (!props.value.on) return
    const read = readNumber(typed(), range())
    if (!read) setCorrection(t('notANumber', { value: value() }))
    else {
      setCorrection(
        read.corrected ? t('corrected', { min: formatCount(range().min), max: formatCount(range().max), value: read.value }) : '',
      )
      set(read.value)
    }
    setTyped(String(read?.value ?? value()))
  }
  const share = (at: number) => ((at - range().min) / (range().max - range().min)) * 100
  const from = () => share(Math.max(range().origin, range().min))

  let helpButton: HTMLSpanElement | undefined
  /** Escape in an open help closes the help, and nothing around it. */
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !help()) return
    event.preventDefault()
    setHelp(false)
    helpButton?.querySelector('button')?.focus()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group inside a form-less panel; a fieldset would bring a border and a legend
    <div class="par" role="group" aria-label={label()} classList={{ off: !props.value.on }} onKeyDown={onEscape}>
      <div class="par-h">
        <Switch
          label={t('sendParameter', { name: label() })}
          on={props.value.on}
          onChange={(on) => {
            setCorrection('')
            props.onChange({ on, value: value() })
          }}
        />
        <label for={`${id}-number`}>{label()}</label>
        <span ref={helpButton} class="contents">
          <IconButton
            name="help"
            small
            label={t('aboutParameter', { name: label() })}
            aria-expanded={help()}
            aria-controls={`${id}-help`}
            onClick={() => setHelp(!help())}
          />
        </span>
        <Show when={isRefused(props.name, props.model)}>
          <span class="bdg warn ml-auto">{t('notSupported')}</span>
        </Show>
      </div>
      <div class="par-c">
        <input
          type="range"
          class="rng"
          aria-label={label()}
          aria-disabled={props.value.on ? undefined : 'true'}
          tabindex={props.value.on ? 0 : -1}
          min={range().min}
          max={range().max}
          step={range().step}
          value={value()}
          style={{
            '--from': `${Math.min(from(), share(value()))}%`,
            '--to': `${Math.max(from(), share(value()))}%`,
          }}
          onInput={(event) => {
            // Off: the thumb does not move.
            if (props.value.on) set(event.currentTarget.valueAsNumber)
            else event.currentTarget.value = String(value())
          }}
        />
        <input
          id={`${id}-number`}
          class="in num"
          inputmode={props.name === 'maxTokens' ? 'numeric' : 'decimal'}
          autocomplete="off"
          readonly={!props.value.on}
          placeholder={t('notSent')}
          value={typed()}
          aria-describedby={correction() ? `${id}-note` : undefined}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            const step = { ArrowUp: range().step, ArrowDown: -range().step }[event.key]
            if (event.key === 'Enter') commit()
            else if (step !== undefined && props.value.on) {
              event.preventDefault()
              set(value() + step * (props.name === 'maxTokens' ? 1 : 10))
            }
          }}
        />
      </div>
      <div id={`${id}-help`} hidden={!help()}>
        <Show when={help()}>
          <p class="hint mt-1">
            {t(helps[props.name])}{' '}
            <button type="button" class="text-accent underline" onClick={() => props.onChange({ on: false, value: range().first })}>
              {t('resetOne')}
            </button>
          </p>
        </Show>
      </div>
      <p class="wrong" id={`${id}-note`} role="status">
        {correction()}
      </p>
      <Show when={props.value.on && props.note}>
        <p class="hint mt-1">{props.note}</p>
      </Show>
    </div>
  )
}
