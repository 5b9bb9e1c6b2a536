ALTER TABLE "api_keys" ADD COLUMN "last_used_from" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "addresses" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_digest" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_previous_digest_unique" UNIQUE("previous_digest");