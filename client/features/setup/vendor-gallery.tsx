import { createMemo, createSignal, For, Show } from 'solid-js'
import type { VendorCard } from '#client/console/vendors.ts'
import { SearchField } from '#client/ui/console/filters.tsx'
import { t } from './messages.ts'

/** Shown before searching. */
const first = [
  'anthropic',
  'openai',
  'gemini',
  'azure-openai',
  'bedrock',
  'openrouter',
  'deepseek',
  'mistral',
  'ollama',
  'vllm',
  'openai-compatible',
]

/** The vendors as cards: the best known ones, the rest by search or by the last card. */
export function VendorGallery(props: { cards: readonly VendorCard[]; chosen: string | undefined; onChoose(card: VendorCard): void }) {
  const [find, setFind] = createSignal('')
  const [all, setAll] = createSignal(false)
  const shown = createMemo(() => {
    const words = find().toLowerCase()
    if (words !== '') return props.cards.filter(({ title, id }) => `${title} ${id}`.toLowerCase().includes(words))
    if (all()) return props.cards
    return first.flatMap((id) => props.cards.find((card) => card.id === id) ?? [])
  })
  return (
    <div class="grid gap-2">
      <h2 class="text-[13px]/[18px] font-medium">{t('vendor')}</h2>
      <div class="filters wide mb-0!">
        <SearchField label={t('searchVendors', { count: props.cards.length })} value={find()} onSearch={setFind} />
      </div>
      <ul class="gallery" aria-label={t('vendor')}>
        <For each={shown()}>
          {(card) => (
            <li>
              <button
                type="button"
                class="gallery-card"
                classList={{ chosen: card.id === props.chosen }}
                aria-pressed={card.id === props.chosen}
                onClick={() => props.onChoose(card)}
              >
                <span class="monogram" aria-hidden="true">
                  {card.monogram}
                </span>
                <span class="min-w-0 wrap-anywhere">{card.title}</span>
              </button>
            </li>
          )}
        </For>
        <Show when={find() === '' && !all()}>
          <li>
            <button type="button" class="gallery-card justify-center text-accent" onClick={() => setAll(true)}>
              {t('moreVendors', { count: props.cards.length - shown().length })}
            </button>
          </li>
        </Show>
      </ul>
    </div>
  )
}
