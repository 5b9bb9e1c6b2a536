ALTER TABLE "prices" ADD COLUMN "changed_at" timestamp with time zone;
--> statement-breakpoint
UPDATE "prices" SET "changed_at" = (SELECT max("at") FROM "audit" WHERE "target" = "prices"."model" AND starts_with("action", 'price.'));