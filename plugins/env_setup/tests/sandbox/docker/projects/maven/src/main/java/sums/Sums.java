package sums;

public final class Sums {
    public static void main(String[] numbers) {
        long sum = 0;
        for (String number : numbers) sum += Long.parseLong(number);
        System.out.println(sum);
    }
}
